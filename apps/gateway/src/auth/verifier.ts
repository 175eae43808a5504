import { createHash } from 'node:crypto'
import type { Log } from '@palanquin/service/log'
import { type Holder, holderOf, isExpired } from './claims.ts'
import { type Invalid, KnownTokens } from './known-tokens.ts'
import { AWAY, LineLogin } from './line-login.ts'
import { isSignedBy, PublishedKeys } from './published-keys.ts'
import { readIdToken } from './read-id-token.ts'

/** Whose token it is, why it proves nobody, or `away` when only LINE could tell, and does not answer. */
export type Verdict = Holder | Invalid | typeof AWAY

export type Verifier = {
  verify: (token: string) => Promise<Verdict>
  /** Whose token it is, where that is known here: nothing is looked at, nobody asked. */
  holderOfKnown: (token: string) => Holder | undefined
  known: KnownTokens
}

/**
 * Verifies LINE's ID tokens. What a token says of itself is enough to refuse it: expired, for another channel, an
 * algorithm that is none of LINE's. LIFF's own (ES256) are held against LINE's published keys, here, so that neither a
 * crowd's tokens nor somebody's made-up ones hang on LINE. Only LINE can tell of web login's (HS256, under the channel's
 * secret) and of keys that it does not publish: it is asked. A token is judged once at a time and known until it expires.
 */
export function idTokenVerifier({
  base,
  channelId,
  log,
  nowMs = Date.now,
}: {
  base: string
  channelId: string
  log: Log
  nowMs?: () => number
}): Verifier {
  const line = new LineLogin({ base, channelId, log })
  const keys = new PublishedKeys({ line, log, nowMs })
  const known = new KnownTokens()
  const underWay = new Map<string, Promise<Verdict>>()
  const expected = () => ({ channelId, nowMs: nowMs() })
  const holder = (claims: unknown) => holderOf(claims, expected())

  const askLine = async (token: string): Promise<Verdict> => {
    const said = await line.verify(token)
    return said === AWAY ? AWAY : (holder(said) ?? 'invalid')
  }
  const judge = async (text: string): Promise<Verdict> => {
    const token = readIdToken(text)
    if (!token) return 'invalid'
    const claimed = holder(token.claims)
    if (!claimed) return isExpired(token.claims, expected()) ? 'expired' : 'invalid'
    if (token.algorithm === 'HS256') return askLine(text)
    if (token.algorithm !== 'ES256' || typeof token.keyId !== 'string') return 'invalid'
    const key = await keys.find(token.keyId)
    if (!key) return askLine(text)
    return (await isSignedBy(key, token)) ? claimed : 'invalid'
  }
  const judgeAndNote = async (token: string, hash: string): Promise<Verdict> => {
    const verdict = await judge(token)
    if (verdict === 'invalid' || verdict === 'expired') known.refuse(hash, verdict, nowMs())
    else if (verdict !== AWAY) known.prove(hash, verdict)
    return verdict
  }

  return {
    known,
    holderOfKnown: (token) => {
      const found = known.find(hashOf(token), nowMs())
      return typeof found === 'object' ? found : undefined
    },
    verify: async (token) => {
      const hash = hashOf(token)
      const found = known.find(hash, nowMs())
      if (found !== undefined) return found
      const judging = underWay.get(hash) ?? judgeAndNote(token, hash).finally(() => underWay.delete(hash))
      underWay.set(hash, judging)
      return judging
    },
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
