import { type Api, dataOf, type Reply, SyncReceipt } from '@palanquin/stack/api'
import type { SentPoint } from './pilgrim/pilgrim.ts'
import type { PlannedSurvey } from './pilgrim/survey.ts'
import type { RequestCounts } from './request-counts.ts'

/** A phone tries so often before it gives a sync up; each time it waits as long as it is told. */
const TRIES_MAX = 8
const PAUSE_S_DEFAULT = 1

export type Sender = ReturnType<typeof createSender>

/** The calls of a phone, counted. What is refused for the moment (429, 503, a lost connection) is sent again. */
export function createSender(
  api: Api,
  counts: RequestCounts,
  slots: <T>(work: () => Promise<T>) => Promise<T>,
) {
  const post = async (name: string, path: string, body: unknown): Promise<Reply> => {
    const reply = await slots(() => api.post(path, body))
    counts.reply(name, reply)
    return reply
  }
  const persist = async (name: string, path: string, body: unknown): Promise<Reply> => {
    for (let tries = 1; ; tries++) {
      const reply = await post(name, path, body).catch((error: Error) => error)
      const final = !(reply instanceof Error) && reply.status !== 429 && reply.status < 502
      if (final) return reply
      if (tries === TRIES_MAX)
        throw reply instanceof Error
          ? reply
          : new Error(`${path} answered ${reply.status} ${TRIES_MAX} times`)
      const retryAfterS = reply instanceof Error ? undefined : reply.headers.get('retry-after')
      await Bun.sleep(Number(retryAfterS ?? PAUSE_S_DEFAULT) * 1000)
    }
  }
  return {
    /** A tap on the button: not repeated, whatever comes back. */
    checkin: (userId: string, point: SentPoint) =>
      post('check-in', '/checkin', { userId, ...withoutNulls(point) }),
    sync: async (userId: string, points: readonly SentPoint[]) => {
      const reply = await persist('sync', '/track/sync', { userId, points: points.map(withoutNulls) })
      counts.receipt(points.length, dataOf(SyncReceipt, reply))
    },
    profile: (userId: string, profile: { displayName: string; language: string }) =>
      persist('profile', '/user/sync', { userId, ...profile }),
    consent: (userId: string, consent: boolean) =>
      persist('consent', '/privacy', { userId, consent, version: 'demo' }),
    survey: (userId: string, survey: PlannedSurvey) => persist('survey', '/submit', { userId, ...survey }),
  }
}

/** What a phone does not know it leaves out. */
const withoutNulls = (point: SentPoint) =>
  Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null))

/** Lets only so many pieces of work run at once; the others wait in line. */
export function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
