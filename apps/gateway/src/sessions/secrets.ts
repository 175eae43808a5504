import { createHash, randomBytes, randomInt } from 'node:crypto'
import { DEVICE_ID_LENGTH, DEVICE_PREFIX } from '@palanquin/domain/session'
import { BASE_62, CODE_DIGITS, type CredentialTags, TAG_LENGTH } from '@palanquin/service/credential-tags'

/** 256 bits: no salt or slow hash is needed where it is stored. */
const TOKEN_BYTES = 32
/** 70 bits, and 30 of the tag, which nobody can make who has not the key. */
const CODE_RANDOM_LENGTH = 14
const CODE_LENGTH = CODE_RANDOM_LENGTH + TAG_LENGTH
const CODE_GROUP = 5

const random = (length: number, digits: string): string =>
  Array.from({ length }, () => digits[randomInt(digits.length)]).join('')

/** A new session token. */
export const newToken = (tags: CredentialTags): string =>
  tags.tagged('session', randomBytes(TOKEN_BYTES).toString('base64url'))

/** The `userId` of a new participant without LINE. */
export const newDeviceId = (): string => DEVICE_PREFIX + random(DEVICE_ID_LENGTH, BASE_62)

/** A new recovery code, in groups as it is shown: `7KQ2M-…`. */
export function newRecoveryCode(tags: CredentialTags): string {
  const code = tags.tagged('recovery code', random(CODE_RANDOM_LENGTH, CODE_DIGITS))
  return (code.match(new RegExp(`.{${CODE_GROUP}}`, 'g')) ?? []).join('-')
}

/** A recovery code as it was made, from what somebody typed; undefined for what cannot be one. */
function readRecoveryCode(typed: string): string | undefined {
  const digits = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return digits.length === CODE_LENGTH && [...digits].every((digit) => CODE_DIGITS.includes(digit))
    ? digits
    : undefined
}

/** SHA-256 in base64url, as sessions are stored. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** The hash of a recovery code, however it is written; undefined for one that we did not issue. */
export function codeHashOf(tags: CredentialTags, typed: string): string | undefined {
  const code = readRecoveryCode(typed)
  return code !== undefined && tags.isTagged('recovery code', code) ? hashOf(code) : undefined
}

/** Of a code that was just made. */
export function requiredHash(tags: CredentialTags, code: string): string {
  const hash = codeHashOf(tags, code)
  if (hash === undefined) throw new Error('a recovery code that was just made cannot be read')
  return hash
}

/** Names an admin token in a session that began with it; another hash than any that is compared at sign-in. */
export const adminKeyOf = (token: string): string => hashOf(`admin-session:${token}`)
