import type { Deployment } from '../deployment.ts'
import type { Retries } from '../load/retry-until-answered.ts'
import { INBOX } from './chat-effects.ts'
import { effectFaults, type Stores } from './effects.ts'

/** Recovery after the last fault takes seconds on an idle machine. */
const RECOVERY_MS_MAX = 60_000
/** Time to answer every phone once all is well: a minute of rate limit, and some. */
const ANSWERED_MS_MAX = 75_000
/** A phone with a backlog sends it one request after another, within its rate limit. */
const BACKLOG_MS_MAX = 300_000
/** Chat events are handled at once, or once another process may take them over (90 s, and a poll). */
const HANDLED_MS_MAX = 120_000
const ENDED_MS_MAX = 60_000
/** Effects follow at once, or when the lease of a killed process has expired (30 s for a card). */
const EFFECTS_MS_MAX = 75_000
const LOOK_MS = 200
/** An administrator may call 30 times a minute. */
const CALL_AGAIN_MS = 2_500

/** Polls a condition; returns the milliseconds it took, or undefined at the limit. */
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

/** After the last fault: recovery, an answer for every phone, all chat events handled. */
export async function settle(
  { api }: Deployment,
  {
    redis,
    retries,
    done,
    patience,
  }: { redis: Bun.RedisClient; retries: Retries; done: Promise<unknown>; patience: number },
): Promise<Settled> {
  const faults: string[] = []
  const recoveryMsMax = RECOVERY_MS_MAX * patience
  const recoveredMs = await within(recoveryMsMax, () => api.isReady().catch(() => false))
  if (recoveredMs === undefined) faults.push(`not ready again within ${recoveryMsMax / 1000} s`)
  faults.push(...(await unanswered(retries, done, patience)))
  const handledMsMax = HANDLED_MS_MAX * patience
  const handled = await within(handledMsMax, async () => Number(await redis.send('XLEN', [INBOX])) === 0)
  if (handled === undefined) faults.push(`chat events were not handled within ${handledMsMax / 1000} s`)
  const endedMsMax = ENDED_MS_MAX * patience
  let status = 0
  const ended = await within(
    endedMsMax,
    async () => {
      const reply = await api.post('/admin/end-activity', {}, api.as('owner')).catch(() => null)
      status = reply?.status ?? 0
      return status === 200
    },
    CALL_AGAIN_MS,
  )
  if (ended === undefined)
    faults.push(`the activity could not be ended within ${endedMsMax / 1000} s (${status})`)
  return { recoveredMs, faults }
}

/** Requests that were not answered in time; waits until no phone has more to send. */
async function unanswered(retries: Retries, done: Promise<unknown>, patience: number): Promise<string[]> {
  const answeredMsMax = ANSWERED_MS_MAX * patience
  const backlogMsMax = BACKLOG_MS_MAX * patience
  const wellMs = performance.now()
  let isDone = false
  let late = 0
  const all = done.then(() => {
    isDone = true
  })
  const look = async () => {
    const dueMs = performance.now() - answeredMsMax
    late = dueMs < wellMs ? 0 : retries.waitingSince(dueMs)
    return isDone || late > 0
  }
  const settled = await Promise.race([all.then(() => 0), within(backlogMsMax, look)])
  if (settled === undefined) return [`phones still had a backlog after ${backlogMsMax / 1000} s`]
  return late > 0 ? [`${late} phones were not answered within ${answeredMsMax / 1000} s`] : []
}

/** What is still wrong with the effects when the time is up, which is at once without patience. */
export async function effectsInTheEnd(
  stores: Stores,
  owed: Parameters<typeof effectFaults>[1],
  patience: number,
): Promise<string[]> {
  let faults: string[] = []
  await within(EFFECTS_MS_MAX * patience, async () => {
    faults = await effectFaults(stores, owed)
    return faults.length === 0
  })
  return faults
}
