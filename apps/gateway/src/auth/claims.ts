import { isUserId } from '@palanquin/domain/ids'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** The issuer of LINE's ID tokens (LINE Login, "ID tokens"). */
export const ISSUER = 'https://access.line.me'

/** What is read of an ID token; its name and picture are not. */
const Claims = Type.Object({
  iss: Type.String(),
  sub: Type.String(),
  aud: Type.String(),
  exp: Type.Number(),
})
export type Claims = Static<typeof Claims>
const claims = Compile(Claims)

/** The user of a token, and when it expires. */
export type TokenUser = { userId: string; untilMs: number }

/** The channel of LINE Login that a token must be issued for, and the time in epoch milliseconds. */
export type Expected = { channelId: string; nowMs: number }

/** The user that claims name, if LINE issued them for our channel and they have not expired. Checks no signature. */
export function tokenUserOf(payload: unknown, expected: Expected): TokenUser | undefined {
  const user = claimedUserOf(payload, expected)
  return user && user.untilMs > expected.nowMs ? user : undefined
}

/** Whether claims are those of a token of our channel that has expired: a page that was left open, and no guess. */
export function isExpired(payload: unknown, expected: Expected): boolean {
  const user = claimedUserOf(payload, expected)
  return user !== undefined && user.untilMs <= expected.nowMs
}

function claimedUserOf(payload: unknown, { channelId }: Pick<Expected, 'channelId'>): TokenUser | undefined {
  if (!claims.Check(payload)) return undefined
  const isOurs = payload.iss === ISSUER && payload.aud === channelId && isUserId(payload.sub)
  return isOurs ? { userId: payload.sub, untilMs: payload.exp * 1_000 } : undefined
}
