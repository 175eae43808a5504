import type { SentPoint } from '@palanquin/demo/pilgrim/actions'
import type { Pilgrim } from '@palanquin/demo/pilgrim/pilgrim'
import type { PlannedSurvey } from '@palanquin/demo/pilgrim/survey'
import type { Sender } from '@palanquin/demo/send'
import { type Api, dataOf, type Reply, SyncReceipt } from '@palanquin/stack/api'
import { type Ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import type { Retries } from './retry-until-answered.ts'

/** Acknowledged writes other than points, by participant. */
export type AcknowledgedWrites = {
  profiles: Map<string, string>
  consents: Map<string, boolean>
  surveys: Map<string, PlannedSurvey>
}

export type Phones = ReturnType<typeof openPhones>

/** Phones that send unanswered requests again, byte for byte. Acknowledged writes are recorded. */
export function openPhones(api: Api, ledger: Ledger, retries: Retries) {
  const acknowledged: AcknowledgedWrites = { profiles: new Map(), consents: new Map(), surveys: new Map() }
  const answers = new Map<string, number>()
  const tookMs: number[] = []

  const once = async (path: string, body: unknown): Promise<Reply | null> => {
    const reply = await api.post(path, body).catch(() => null) // a missing response is indeterminate
    const status = reply === null ? 'no answer' : String(reply.status)
    answers.set(status, (answers.get(status) ?? 0) + 1)
    if (reply) tookMs.push(reply.tookMs)
    return reply
  }

  const persist = (path: string, body: unknown, onReply: (reply: Reply | null) => void): Promise<Reply> =>
    retries.untilDecided(path, () => once(path, body), onReply)

  const checkin = (userId: string, point: SentPoint): Promise<Reply> => {
    const key = pointKey({ userId, kind: 'checkin', recordedAt: point.recordedAt })
    return persist('/checkin', { userId, ...known(point) }, (reply) =>
      ledger.note(key, outcomeOf(reply?.status)),
    )
  }

  const sync = async (userId: string, points: readonly SentPoint[]): Promise<void> => {
    const keys = points.map(({ recordedAt }) => pointKey({ userId, kind: 'track', recordedAt }))
    await persist('/track/sync', { userId, points: points.map(known) }, (reply) => {
      const outcome = outcomeOf(reply?.status)
      const rejected = new Set(
        reply && outcome === 'acknowledged'
          ? dataOf(SyncReceipt, reply).rejected.map(({ index }) => index)
          : [],
      )
      for (const [index, key] of keys.entries()) ledger.note(key, rejected.has(index) ? 'refused' : outcome)
    })
  }

  const write = async <T>(
    path: string,
    body: { userId: string } & Record<string, unknown>,
    kept: Map<string, T>,
    value: T,
  ): Promise<Reply> => {
    const reply = await persist(path, body, () => {})
    if (reply.status < 300) kept.set(body.userId, value)
    return reply
  }

  const sender: Sender = {
    checkin,
    sync,
    profile: (userId, profile) =>
      write('/user/sync', { userId, ...profile }, acknowledged.profiles, profile.displayName),
    consent: (userId, consent) =>
      write('/privacy', { userId, consent, version: 'chaos' }, acknowledged.consents, consent),
    survey: (userId, survey) => write('/submit', { userId, ...survey }, acknowledged.surveys, survey),
  }
  return {
    sender,
    acknowledged,
    tookMs,
    /** Number of responses by status. */
    answers,
  }
}

/** Five check-ins a minute are allowed, and each may have to be sent again. */
const CHECKIN_EVERY = 2

/** A pilgrim with fewer check-ins, each at another place. */
export function withFewerCheckins(pilgrim: Pilgrim): Pilgrim {
  const places = new Set<string>()
  const actions = pilgrim.actions.filter((action) => {
    if (action.kind !== 'checkin') return true
    const place = `${action.point.lat.toFixed(5)}|${action.point.lng.toFixed(5)}`
    if (places.has(place)) return false
    places.add(place)
    return places.size % CHECKIN_EVERY === 1
  })
  return { ...pilgrim, actions }
}

/** Unknown values are omitted. */
const known = (point: SentPoint) =>
  Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null))
