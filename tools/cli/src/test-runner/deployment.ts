import { COPIES_MAX } from '@palanquin/stack/units/copies'
import { HANG_MS } from '@palanquin/testing/hang'
import { usageError, wholeNumber } from '../arguments.ts'

/** The house that the tests run in, and how it is treated: one of more processes wants more time, and fewer beside it. */
export type Deployment = { env: Record<string, string>; checksAtOnce: number; deadlineMs: number }

/** A file may hold several tests of which each takes its time; longer than this it is stuck, on any machine. */
const DEADLINE_MS = 3 * HANG_MS
/** Tests of a distributed system mostly wait: three at once keep two cores busy, and leave each of them air to breathe. */
const PLAIN = { checksAtOnce: 3, deadlineMs: DEADLINE_MS }
/** A cluster needs two seconds to begin, and many tests have one of their own. */
const WIDE = { checksAtOnce: 2, deadlineMs: 2 * DEADLINE_MS }

/**
 * What `--redis cluster` and `--copies 2` ask for, said to the harness (TEST_REDIS: packages/testing/src/redis.ts,
 * TEST_COPIES: throwaway-stack.ts). Without them what these variables say already, or one server and one process each.
 * @throws LauncherError (exit 2) at any other value
 */
export function deploymentOf(
  asked: { redis?: string | undefined; copies?: string | undefined },
  environment: Partial<Record<string, string>> = process.env,
): Deployment {
  const { redis = environment.TEST_REDIS || 'server' } = asked
  if (redis !== 'server' && redis !== 'cluster')
    throw usageError('test', `--redis takes server or cluster, not '${redis}'.`)
  const copies = wholeNumber('test', 'copies', asked.copies ?? (environment.TEST_COPIES || undefined), {
    minimum: 1,
    maximum: COPIES_MAX,
    fallback: 1,
  })
  const isWide = redis === 'cluster' || copies > 1
  return { env: { TEST_REDIS: redis, TEST_COPIES: String(copies) }, ...(isWide ? WIDE : PLAIN) }
}
