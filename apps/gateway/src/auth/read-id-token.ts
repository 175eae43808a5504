/** An ID token taken apart, nothing of it proven. */
export type IdToken = {
  algorithm: unknown
  /** Of ES256: by which of LINE's keys it was signed. */
  keyId: unknown
  claims: unknown
  signed: Uint8Array<ArrayBuffer>
  signature: Uint8Array<ArrayBuffer>
}

/** LINE's have some 600 to 1,000 characters; a header of the gateway's could carry sixteen thousand. */
const CHARACTERS_MAX = 4_096
/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i
/** RFC 7515, section 7.1. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/

/** The token of an `Authorization: Bearer …`; undefined when the header is something else, or longer than any of LINE's. */
export function bearerOf(authorization: string): string | undefined {
  const token = BEARER.exec(authorization)?.[1]
  return token !== undefined && token.length <= CHARACTERS_MAX ? token : undefined
}

/** Undefined for a text that is no JSON Web Token. */
export function readIdToken(text: string): IdToken | undefined {
  const [, head, body, signature] = COMPACT.exec(text) ?? []
  if (head === undefined || body === undefined || signature === undefined) return undefined
  const header = jsonOf(head)
  const claims = jsonOf(body)
  if (typeof header !== 'object' || header === null) return undefined
  return {
    algorithm: 'alg' in header ? header.alg : undefined,
    keyId: 'kid' in header ? header.kid : undefined,
    claims,
    signed: new TextEncoder().encode(`${head}.${body}`),
    signature: new Uint8Array(Buffer.from(signature, 'base64url')),
  }
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined // no token: the caller sees nothing where claims should be
  }
}
