import { TEST_TIMEOUT_MS } from './timeout.ts'

/** A test that waits for a condition costs nothing once it holds. */
const TIMEOUT_MS = TEST_TIMEOUT_MS / 2
const PAUSE_MS_MIN = 5
const PAUSE_MS_MAX = 100

type Falsy = false | null | undefined | 0 | ''

/** Asks `condition` again and again until it gives something truthy, and resolves with that. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = TIMEOUT_MS }: { what: string; timeoutMs?: number },
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + timeoutMs
  let pauseMs = PAUSE_MS_MIN
  let lastError: unknown
  for (;;) {
    try {
      const value = await condition()
      if (isTruthy(value)) return value
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() > deadline)
      throw new Error(`did not happen within ${timeoutMs} ms: ${what}`, { cause: lastError })
    await Bun.sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 1.5, PAUSE_MS_MAX)
  }
}

const isTruthy = <T>(value: T): value is Exclude<T, Falsy> => Boolean(value)
