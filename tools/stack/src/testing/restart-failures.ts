import { readFileSync } from 'node:fs'
import type { Home } from '../run-state/home.ts'

/** So long the gateway lets calls wait for a service that is away (apps/gateway/src/proxy/reconnect.ts). */
const WAITED_MS_MAX = 4_000
/** As the supervisor logs it. */
const REPLACED = /is replaced by process \d+ after (\d+) ms/g
/** The gateway's answers for a service that is away for longer than calls wait. */
const AWAY = /\b50[234]\b/

/**
 * The failed requests that no slow restart of this home explains: all of them, unless one took longer than requests wait,
 * as on a machine that is ten times slower.
 */
export function unexplained(
  failed: readonly string[],
  { home, waitedMsMax = WAITED_MS_MAX }: { home: Home; waitedMsMax?: number },
): string[] {
  const restarts = readFileSync(home.logFile('supervisor'), 'utf8').matchAll(REPLACED)
  const isSlow = [...restarts].some(([, tookMs]) => Number(tookMs) > waitedMsMax)
  return failed.filter((failure) => !isSlow || !AWAY.test(failure))
}
