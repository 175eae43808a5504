import type { Deployment } from '../deployment.ts'
import type { Retries } from '../load/retry-until-answered.ts'
import { INBOX } from './chat-effects.ts'
import { effectFaults, type Stores } from './effects.ts'

/** Everything must come back by itself within this time of the last fault: seconds, on a machine that has nothing else to do. */
const RECOVERY_MS_MAX = 60_000
/** Whatever a phone sends is answered for within this, once all is well: the minute of a rate limit, and some. */
const ANSWERED_MS_MAX = 75_000
/** A phone that was kept waiting has more to send, one thing after another, as fast as its rate limit lets it. */
const BACKLOG_MS_MAX = 300_000
/** What was written to the bot is done: at once, or when another process may take over what one has dropped (90 s, and a look). */
const HANDLED_MS_MAX = 120_000
const ENDED_MS_MAX = 60_000
/** Effects follow the events: at once, or when the lease of a process that was killed at it is over (30 s for a card). */
const EFFECTS_MS_MAX = 75_000
const LOOK_MS = 200
/** An administrator may call 30 times a minute. */
const CALL_AGAIN_MS = 2_500

/** Waits for something; the time it took in ms, or undefined when it did not come about. */
async function within(
  limitMs: number,
  holds: () => Promise<boolean>,
  lookMs = LOOK_MS,
): Promise<number | undefined> {
  const startedMs = performance.now()
  for (;;) {
    if (await holds()) return performance.now() - startedMs
    if (performance.now() - startedMs > limitMs) return undefined
    await Bun.sleep(lookMs)
  }
}

export type Settled = { recoveredMs: number | undefined; faults: string[] }

/**
 * After the last fault is healed: everything comes back by itself, every phone is answered, what was written to the bot is
 * acted on, and the activity is ended.
 */
export async function settle(
  { api }: Deployment,
  { redis, retries, done }: { redis: Bun.RedisClient; retries: Retries; done: Promise<unknown> },
): Promise<Settled> {
  const faults: string[] = []
  const recoveredMs = await within(RECOVERY_MS_MAX, () => api.isReady().catch(() => false))
  if (recoveredMs === undefined) faults.push(`not ready again within ${RECOVERY_MS_MAX / 1000} s`)
  faults.push(...(await unanswered(retries, done)))
  const handled = await within(HANDLED_MS_MAX, async () => Number(await redis.send('XLEN', [INBOX])) === 0)
  if (handled === undefined)
    faults.push(`what was written to the bot was not done in ${HANDLED_MS_MAX / 1000} s`)
  let status = 0
  const ended = await within(
    ENDED_MS_MAX,
    async () => {
      const reply = await api.post('/admin/end-activity', {}, api.as('owner')).catch(() => null)
      status = reply?.status ?? 0
      return status === 200
    },
    CALL_AGAIN_MS,
  )
  if (ended === undefined)
    faults.push(`the activity could not be ended within ${ENDED_MS_MAX / 1000} s (${status})`)
  return { recoveredMs, faults }
}

/** What a phone sent and was not answered for in time; waits until none has more to send. */
async function unanswered(retries: Retries, done: Promise<unknown>): Promise<string[]> {
  const wellMs = performance.now()
  let isDone = false
  let late = 0
  const all = done.then(() => {
    isDone = true
  })
  const look = async () => {
    const dueMs = performance.now() - ANSWERED_MS_MAX
    late = dueMs < wellMs ? 0 : retries.waitingSince(dueMs)
    return isDone || late > 0
  }
  const settled = await Promise.race([all.then(() => 0), within(BACKLOG_MS_MAX, look)])
  if (settled === undefined) return [`phones still had something to send after ${BACKLOG_MS_MAX / 1000} s`]
  return late > 0 ? [`${late} phones were not answered within ${ANSWERED_MS_MAX / 1000} s`] : []
}

/** The effects, once they are all there; what is still wrong with them when the time is up. */
export async function effectsInTheEnd(
  stores: Stores,
  owed: Parameters<typeof effectFaults>[1],
  timeoutMs = EFFECTS_MS_MAX,
): Promise<string[]> {
  let faults: string[] = []
  await within(timeoutMs, async () => {
    faults = await effectFaults(stores, owed)
    return faults.length === 0
  })
  return faults
}
