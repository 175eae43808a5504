import { createHash, randomBytes, randomInt } from 'node:crypto'
import { DEVICE_ID_LENGTH, DEVICE_PREFIX } from '@palanquin/domain/session'

/** 256 bits: no salt or slow hash is needed where it is stored. */
const TOKEN_BYTES = 32
const ALPHANUMERICS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Crockford's base 32: without I, L, O and U, so that a code that is copied by hand comes out right. */
const CODE_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 100 bits. */
const CODE_LENGTH = 20
const CODE_GROUP = 5

const random = (length: number, digits: string): string =>
  Array.from({ length }, () => digits[randomInt(digits.length)]).join('')

/** A new session token. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** The `userId` of a new participant without LINE. */
export const newDeviceId = (): string => DEVICE_PREFIX + random(DEVICE_ID_LENGTH, ALPHANUMERICS)

/** A new recovery code, in groups as it is shown: `7KQ2M-…`. */
export const newRecoveryCode = (): string =>
  (random(CODE_LENGTH, CODE_DIGITS).match(new RegExp(`.{${CODE_GROUP}}`, 'g')) ?? []).join('-')

/** A recovery code as it was made, from what somebody typed; undefined for what cannot be one. */
function readRecoveryCode(typed: string): string | undefined {
  const digits = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return digits.length === CODE_LENGTH && [...digits].every((digit) => CODE_DIGITS.includes(digit))
    ? digits
    : undefined
}

/** SHA-256 in base64url, as sessions are stored. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** The hash of a recovery code, however it is written; undefined for what cannot be one. */
export function codeHashOf(typed: string): string | undefined {
  const code = readRecoveryCode(typed)
  return code === undefined ? undefined : hashOf(code)
}

/** Of a code that was just made. */
export function requiredHash(code: string): string {
  const hash = codeHashOf(code)
  if (hash === undefined) throw new Error('a recovery code that was just made cannot be read')
  return hash
}

/** Names an admin token in a session that began with it; another hash than any that is compared at sign-in. */
export const adminKeyOf = (token: string): string => hashOf(`admin-session:${token}`)
