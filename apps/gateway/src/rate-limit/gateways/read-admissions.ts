import type { Redis } from '@palanquin/service/redis'
import type { KeyHash } from '../memory/key-hash.ts'
import { SHORT_MS } from '../memory/local-windows.ts'
import type { RedisWindows } from '../redis/redis-windows.ts'
import { LOG, LOG_ENTRIES_MAX } from './heartbeat-script.ts'
import { type LoggedCall, readLogged } from './logged-calls.ts'

/** Entries of one read, during which Redis serves nothing else: a millisecond. */
const ENTRIES_PER_READ = 500
/** All of the longest log; that of a minute at 120 entries a second is 15 reads. */
const READS_MAX = Math.ceil((2 * LOG_ENTRIES_MAX) / ENTRIES_PER_READ)

export type Admission = { key: KeyHash; atMs: number }

/**
 * What the gateway that counted alone has admitted within the last minute, in this process's time: no earlier than it was, by as much
 * as it took to log. Undefined when Redis is away or late.
 */
export async function readAdmissions(
  shared: Pick<RedisWindows, 'attempt'>,
  nowMs: () => number,
): Promise<Admission[] | undefined> {
  const entries: { redisMs: number; calls: string }[] = []
  let from = '-'
  for (let reads = 0; reads < READS_MAX; reads++) {
    const page = await shared.attempt((redis) => redis.xRange(LOG, from, '+', { COUNT: ENTRIES_PER_READ }))
    if (!page) return undefined
    for (const { id, message } of page)
      entries.push({ redisMs: Number.parseInt(id, 10) + 1, calls: message.calls ?? '' })
    const last = page.at(-1)
    if (!last || page.length < ENTRIES_PER_READ) break
    from = `(${last.id}`
  }
  if (entries.length === 0) return []
  const redisMs = await shared.attempt(redisTime)
  return redisMs === undefined ? undefined : admissionsOf(entries, { redisMs, nowMs: nowMs() })
}

/** Of the server that has the log, whose entries are named by it. */
async function redisTime(redis: Redis): Promise<number> {
  const [seconds, us] = listOf(await redis.send(LOG, ['TIME']))
  return Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000)
}

const listOf = (reply: unknown): unknown[] => (Array.isArray(reply) ? reply : [])

function admissionsOf(
  entries: readonly { redisMs: number; calls: string }[],
  now: { redisMs: number; nowMs: number },
): Admission[] {
  const takenBack = new Map<string, number>()
  for (const { calls } of entries)
    for (const call of readLogged(calls))
      if (call.isBack) takenBack.set(nameOf(call), (takenBack.get(nameOf(call)) ?? 0) + 1)
  const admissions: Admission[] = []
  for (const { redisMs, calls } of entries)
    for (const call of readLogged(calls)) {
      const ageMs = now.redisMs - redisMs + call.agoMs
      if (call.isBack || ageMs >= SHORT_MS) continue
      const backs = takenBack.size > 0 ? (takenBack.get(nameOf(call)) ?? 0) : 0
      if (backs > 0) takenBack.set(nameOf(call), backs - 1)
      else admissions.push({ key: call.key, atMs: now.nowMs - ageMs })
    }
  return admissions
}

const nameOf = ({ key, atUs }: LoggedCall): string => `${key.hi} ${key.lo} ${atUs}`
