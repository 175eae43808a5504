import { type Api, dataOf, type Reply, SyncReceipt } from '@palanquin/stack/api'
import PQueue from 'p-queue'
import type { SentPoint } from './pilgrim/actions.ts'
import type { PlannedSurvey } from './pilgrim/survey.ts'
import type { RequestCounts } from './request-counts.ts'

/** How often a sync is tried; Retry-After is respected. */
const TRIES_MAX = 8
const PAUSE_S_DEFAULT = 1

export type Sender = ReturnType<typeof createSender>

/** The requests of a phone, counted. Temporary errors (429, 503, a lost connection) are retried. */
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
    /** A tap on the button is never repeated. */
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

/** Unknown values are omitted. */
const withoutNulls = (point: SentPoint) =>
  Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null))

/** Limits concurrent work; the rest queues. */
export function createSlots(concurrency: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue = new PQueue({ concurrency })
  return (work) => queue.add(work)
}
