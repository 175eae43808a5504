import { isUserId } from '@palanquin/domain/ids'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** Who issues LINE's ID tokens (LINE Login, "ID tokens"). */
const ISSUER = 'https://access.line.me'

/** What is read of an ID token; LINE puts a name and a picture in as well, which are nobody's business here. */
const Claims = Type.Object({
  iss: Type.String(),
  sub: Type.String(),
  aud: Type.String(),
  exp: Type.Number(),
})
export type Claims = Static<typeof Claims>
const claims = Compile(Claims)

/** Whose token it is, and until when. */
export type Holder = { userId: string; untilMs: number }

/** For which channel of LINE Login a token must be made out, and the time in epoch milliseconds. */
export type Expected = { channelId: string; nowMs: number }

/**
 * The holder that claims name: LINE issued them, for our channel, and they hold now. Undefined when not. It says nothing
 * of the signature.
 */
export function holderOf(said: unknown, expected: Expected): Holder | undefined {
  const holder = claimedBy(said, expected)
  return holder && holder.untilMs > expected.nowMs ? holder : undefined
}

/** Whether claims say that a token of our channel has held, and does no more: a page that was left open, and no guess. */
export function isExpired(said: unknown, expected: Expected): boolean {
  const holder = claimedBy(said, expected)
  return holder !== undefined && holder.untilMs <= expected.nowMs
}

function claimedBy(said: unknown, { channelId }: Pick<Expected, 'channelId'>): Holder | undefined {
  if (!claims.Check(said)) return undefined
  const isOurs = said.iss === ISSUER && said.aud === channelId && isUserId(said.sub)
  return isOurs ? { userId: said.sub, untilMs: said.exp * 1_000 } : undefined
}
