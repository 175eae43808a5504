import { createHash } from 'node:crypto'
import { newToken } from './ids.ts'

/** As LINE: "valid for 10 minutes and can only be used once". */
const LIFETIME_MS = 600_000

export type CodeOrder = {
  userId: string
  redirectUri: string
  /** SHA-256 of the code verifier in base64url (PKCE, S256). */
  codeChallenge: string
  nonce?: string
}
type Exchange = { code: string; redirectUri: string; verifier: string }

/** Authorization codes of LINE Login with PKCE. */
export function createLoginCodes(now: () => number) {
  const codes = new Map<string, CodeOrder & { atMs: number }>()
  return {
    issue: (order: CodeOrder): string => {
      const code = newToken()
      codes.set(code, { ...order, atMs: now() })
      return code
    },
    /** Who signed in, or LINE's `error_description`; a code is spent by the first try. */
    exchange: ({ code, redirectUri, verifier }: Exchange): CodeOrder | { refused: string } => {
      const order = codes.get(code)
      codes.delete(code)
      if (!order || now() - order.atMs >= LIFETIME_MS) return { refused: 'invalid authorization code' }
      if (order.redirectUri !== redirectUri) return { refused: 'redirect_uri does not match' }
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      return challenge === order.codeChallenge ? order : { refused: 'code_verifier does not match' }
    },
  }
}
