import { UserId } from '@palanquin/domain/ids'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** Longer than any command; the rest of a text is not kept. */
export const TEXT_UNITS_MAX = 200
/** LINE's own limit of postback data. */
export const DATA_UNITS_MAX = 300

const What = Type.Union([
  Type.Object({ type: Type.Literal('follow') }),
  Type.Object({ type: Type.Literal('unfollow') }),
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('postback'), data: Type.String() }),
  Type.Object({
    type: Type.Literal('location'),
    lat: Type.Number(),
    lng: Type.Number(),
    place: Type.Union([Type.String(), Type.Null()]),
  }),
  /** `last`: of a set that was sent together. */
  Type.Object({ type: Type.Literal('image'), messageId: Type.String(), last: Type.Boolean() }),
  /** A message that the bot does not read: a sticker, a film. */
  Type.Object({ type: Type.Literal('other') }),
])
export type What = Static<typeof What>

/** What the bot keeps of a webhook event until it is handled: no more than it takes. */
export const Inbound = Type.Object({
  /** `webhookEventId`. */
  id: Type.String(),
  /** When it happened, epoch milliseconds, by LINE's clock. */
  atMs: Type.Number(),
  /** The user; in a group LINE may leave it out. */
  userId: Type.Union([UserId, Type.Null()]),
  /** Whether others read the reply. */
  inGroup: Type.Boolean(),
  replyToken: Type.Union([Type.String(), Type.Null()]),
  what: What,
})
export type Inbound = Static<typeof Inbound>

const inbound = Compile(Inbound)

/** Reads an entry of the inbox; null when it is none. */
export function readInbound(text: string | undefined): Inbound | null {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return inbound.Check(value) ? value : null
  } catch {
    return null
  }
}
