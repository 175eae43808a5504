import { COPIES_MAX } from '@palanquin/stack/units/copies'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { usageError, wholeNumber } from '../arguments.ts'

/** The deployment that the tests run on: more processes need more time and fewer checks beside them. */
export type Deployment = { env: Record<string, string>; checksAtOnce: number; deadlineMs: number }

/** The limit for one file of several tests; on any machine a longer one is stuck. */
const DEADLINE_MS = 3 * TEST_TIMEOUT_MS
/** Two at once, beside those that run one by one, keep two slow cores busy; on faster ones more begin (machine-load.ts). */
const PLAIN = { checksAtOnce: 2, deadlineMs: DEADLINE_MS }
/** A cluster needs two seconds to start, and many tests start their own. */
const WIDE = { checksAtOnce: 1, deadlineMs: 2 * DEADLINE_MS }

/**
 * What `--redis cluster` and `--copies 2` ask for, as variables of the test harness (TEST_REDIS:
 * packages/testing/src/redis.ts, TEST_COPIES: throwaway-stack.ts). Without flags, what the variables say
 * already, or one server and one process.
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
