import type { PhoneApp, ReplyFacts } from '@palanquin/domain/phone-apps'
import type { Reading } from '@palanquin/domain/phone-apps/reading'
import type { ReplyCase } from '@palanquin/domain/phone-apps/replies'
import { writeTokenHash } from '@palanquin/service/write-token'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Deliver, Delivered } from './deliver.ts'
import { KnownTokens } from './known-tokens.ts'
import { Turns } from './turns.ts'

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

/**
 * Delivers what an app sent, within its limits: over them it is to come again later, as a 429 deletes points on some phones.
 * Known tokens are counted by themselves; others by their address, which over its limit are judged from memory alone, so
 * that a phone behind the same address as a guesser is not refused.
 */
export function deliveryJudge({
  limits,
  deliver,
}: {
  limits: Pick<RateLimit, 'device' | 'unknownToken'>
  deliver: Deliver
}) {
  const known = new KnownTokens()
  const turns = new Turns()
  return async ({ app, token, read, version, requestId, client }: Judging): Promise<Judged> => {
    if (token === undefined) return UNKNOWN
    const hash = writeTokenHash(token)
    // A token is good for one app.
    const id = `${app} ${hash}`
    const verdict = known.verdict(id)
    if (verdict === 'unknown') return UNKNOWN
    const reading = read()
    const isKnown = verdict === 'known'
    const place = isKnown ? await limits.device(hash, reading.points.length) : undefined
    if (place?.allowed === false) return LATER
    const guess = isKnown ? undefined : await limits.unknownToken(client())
    const memoryOnly = guess?.allowed === false
    const delivered = await turns.take(hash, () =>
      deliver({ hash, app, memoryOnly, reading, version, requestId }),
    )
    if (!delivered) return LATER
    const { state, counts, isFirst = false } = delivered
    if (state === 'taken' || state === 'later') {
      known.note(id, true)
      if (guess?.allowed) void guess.giveBack()
    } else if (state === 'unknown_token' && !memoryOnly) known.note(id, false)
    return { replyCase: CASE_OF[state], counts, isFirst, isNearLimit: place?.isNearLimit ?? false }
  }
}
