import { createHmac, timingSafeEqual } from 'node:crypto'

/** What people are given to prove themselves with. */
export type Credential = 'session' | 'recovery code' | 'write token' | 'family link' | 'edit token'

const CREDENTIALS: readonly Credential[] = [
  'session',
  'recovery code',
  'write token',
  'family link',
  'edit token',
]
export const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Crockford's base 32, without I, L, O and U: a code that is copied by hand comes out right. */
export const CODE_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 32 bits in base 62; a base of 32 digits keeps the last 30 of them. */
export const TAG_LENGTH = 6

/** Signs what we issue, and tells it from what somebody made up, by one hash. */
export type CredentialTags = {
  /** A new credential: its random part with the tag behind it. */
  tagged: (credential: Credential, random: string) => string
  isTagged: (credential: Credential, text: string) => boolean
}

/** The first 32 bits of an HMAC-SHA-256 under a secret that the gateway shares with those who issue. */
export function credentialTags(secret: string): CredentialTags {
  const keys = new Map(
    CREDENTIALS.map((credential) => [credential, createHmac('sha256', secret).update(credential).digest()]),
  )
  const tagOf = (credential: Credential, random: string): string => {
    const key = keys.get(credential) ?? ''
    const tag = createHmac('sha256', key).update(random).digest().readUInt32BE()
    return inDigits(tag, credential === 'recovery code' ? CODE_DIGITS : BASE_62)
  }
  return {
    tagged: (credential, random) => random + tagOf(credential, random),
    isTagged: (credential, text) => {
      const expected = Buffer.from(tagOf(credential, text.slice(0, -TAG_LENGTH)))
      const input = Buffer.from(text.slice(-TAG_LENGTH))
      return input.length === expected.length && timingSafeEqual(input, expected)
    },
  }
}

function inDigits(value: number, digits: string): string {
  let text = ''
  for (let left = value; left > 0; left = Math.floor(left / digits.length))
    text = digits.charAt(left % digits.length) + text
  return text.padStart(TAG_LENGTH, '0').slice(-TAG_LENGTH)
}
