import { openConnection } from '../load/connection.ts'
import { doneStatus, pointsOf, requestOf, wire } from './requests.ts'
import type { Due, Kind } from './timetable.ts'

/** Requests that are due within so long are sent together. */
const LOOK_MS = 5
/** Phones do not wait longer. */
const ANSWER_MS_MAX = 30_000
const OUTSTANDING_MAX = 20_000
export const MINUTE_MS = 60_000

type Connection = Awaited<ReturnType<typeof openConnection>>
/** What became of some requests; latencies in ms from when each was due, so that queueing counts. */
export type Outcome = {
  due: number
  done: number
  /** How often by status, or by what happened to the connection. */
  refused: Record<string, number>
  p50Ms: number
  p99Ms: number
  longestMs: number
}
export type CrowdResult = {
  kinds: Record<Kind, Outcome>
  /** The requests by the minute in which they were due. */
  minutes: Outcome[]
  points: number
  tookMs: number
  behindMs: number
}

const noOutcome = () => ({
  due: 0,
  done: 0,
  refused: {} as Record<string, number>,
  latenciesMs: [] as number[],
})

/** Sends what is due, when it is due, whether or not the requests before were answered. */
export async function driveCrowd(
  due: Iterable<Due>,
  { base, ca, people }: { base: string; ca: string; people: number },
): Promise<CrowdResult> {
  const url = new URL(base)
  const idle: Connection[] = []
  const outstanding = new Set<Promise<void>>()
  const kinds = { sync: noOutcome(), checkin: noOutcome(), profile: noOutcome(), map: noOutcome() }
  const minutes: ReturnType<typeof noOutcome>[] = []
  const outcomesOf = ({ kind, atMs }: Due) => {
    const minute = Math.floor(atMs / MINUTE_MS)
    minutes[minute] ??= noOutcome()
    return [kinds[kind], minutes[minute]]
  }
  const result = { points: 0, tookMs: 0, behindMs: 0 }
  const startedMs = performance.now()

  const open = () => openConnection({ url, ca }).catch(() => null)
  const kept = (): Connection | undefined => {
    for (let one = idle.pop(); one; one = idle.pop()) if (one.isOpen()) return one
    return undefined
  }
  const send = async (one: Due): Promise<void> => {
    const outcomes = outcomesOf(one)
    const refuse = (why: string) => {
      for (const { refused } of outcomes) refused[why] = (refused[why] ?? 0) + 1
    }
    const connection = (one.opens ? undefined : kept()) ?? (await open())
    if (connection === null) return refuse('no connection')
    let keeps = false
    try {
      const bytes = wire(url, requestOf(one, { people, nowMs: Date.now() }), { closes: one.opens })
      const { status } = await withinMs(connection.send(bytes), ANSWER_MS_MAX)
      const latencyMs = performance.now() - startedMs - one.atMs
      for (const { latenciesMs } of outcomes) latenciesMs.push(latencyMs)
      keeps = !one.opens
      if (status !== doneStatus(one)) return refuse(String(status))
      for (const outcome of outcomes) outcome.done++
      result.points += pointsOf(one)
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error))
    } finally {
      if (keeps) idle.push(connection)
      else connection.close()
    }
  }

  for (const one of due) {
    for (;;) {
      const waitMs = one.atMs - (performance.now() - startedMs)
      if (waitMs <= 0 && outstanding.size < OUTSTANDING_MAX) break
      await Bun.sleep(Math.max(LOOK_MS, waitMs))
    }
    result.behindMs = Math.max(result.behindMs, performance.now() - startedMs - one.atMs)
    for (const outcome of outcomesOf(one)) outcome.due++
    const sending = send(one).finally(() => outstanding.delete(sending))
    outstanding.add(sending)
  }
  await Promise.all(outstanding)
  result.tookMs = performance.now() - startedMs
  for (const connection of idle) connection.close()
  return {
    ...result,
    kinds: {
      sync: summary(kinds.sync),
      checkin: summary(kinds.checkin),
      profile: summary(kinds.profile),
      map: summary(kinds.map),
    },
    minutes: minutes.map(summary),
  }
}

function summary({ latenciesMs, ...outcome }: ReturnType<typeof noOutcome>): Outcome {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { ...outcome, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) }
}

const withinMs = <T>(work: Promise<T>, ms: number): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1_000} s`)), ms)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
