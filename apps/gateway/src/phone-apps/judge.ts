import type { PhoneApp, ReplyFacts } from '@palanquin/domain/phone-apps'
import type { Reading } from '@palanquin/domain/phone-apps/reading'
import type { ReplyCase } from '@palanquin/domain/phone-apps/replies'
import { writeTokenHash } from '@palanquin/service/write-token'
import QuickLRU from 'quick-lru'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { Turns } from '../turns.ts'
import type { Deliver, Delivered } from './deliver.ts'

export type Judging = {
  app: PhoneApp
  token: string | undefined
  /** Reads the points: not before the token is worth it. */
  read: () => Reading
  version: string | undefined
  requestId: string
  client: () => string
}
export type Judged = ReplyFacts & { replyCase: ReplyCase; counts: Delivered['counts'] }

const LATER: Judged = { replyCase: 'later', counts: {} }
const UNKNOWN: Judged = { replyCase: 'unknown_token', counts: { unknown_token: 1 } }
const CASE_OF = {
  taken: 'taken',
  later: 'later',
  away: 'later',
  unknown_token: 'unknown_token',
} as const satisfies Record<Delivered['state'], ReplyCase>

/** Colota sends ten at once. */
const AT_ONCE = { atOnceMax: 10, waitingMax: 50 }
/** Tokens that tracking did not know: no such token becomes known. */
const REVOKED = { maxSize: 10_000, maxAge: 600_000 }

/**
 * Delivers what an app sent, within the limits of its token: over them it is to come again later, as a 429 deletes points on some
 * phones. What has no token of ours is counted by its address.
 */
export function deliveryJudge({
  limits,
  deliver,
}: {
  limits: Pick<RateLimit, 'device' | 'wrong'>
  deliver: Deliver
}) {
  const revoked = new QuickLRU<string, true>(REVOKED)
  const turns = new Turns(AT_ONCE)
  const unknown = async (client: () => string): Promise<Judged> => {
    await limits.wrong('unknownTokens', client())
    return UNKNOWN
  }
  return async ({ app, token, read, version, requestId, client }: Judging): Promise<Judged> => {
    if (token === undefined) return unknown(client)
    const hash = writeTokenHash(token)
    // A token is good for one app.
    const id = `${app} ${hash}`
    if (revoked.has(id)) return unknown(client)
    const reading = read()
    const { allowed, isNearLimit } = await limits.device(hash, reading.points.length)
    if (!allowed) return LATER
    const delivered = await turns.take(hash, () => deliver({ hash, app, reading, version, requestId }))
    if (!delivered) return LATER
    const { state, counts, isFirst = false } = delivered
    if (state === 'unknown_token') {
      revoked.set(id, true)
      await limits.wrong('unknownTokens', client())
    }
    return { replyCase: CASE_OF[state], counts, isFirst, isNearLimit }
  }
}
