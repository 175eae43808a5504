import { createHash, randomInt } from 'node:crypto'

/** Lets a scanner of secrets find one that was published by mistake. */
const PREFIX = 'plq'
/** 137 bits. */
const RANDOM_LENGTH = 23
const CHECK_LENGTH = 6
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`)

/** A new write token of a phone app: letters and digits alone, because apps mangle everything else. */
export function newWriteToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS.charAt(randomInt(DIGITS.length)))
  const body = PREFIX + random.join('')
  return body + checksumOf(body)
}

/** Whether a text is made as a write token is: one with a typing error, or a guess, is refused without asking a store. */
export const isWriteToken = (text: string): boolean =>
  FORM.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECK_LENGTH)))

/** SHA-256 in base64url, as write tokens are stored: 137 bits need no slow hash. */
export const writeTokenHash = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/** CRC-32 in base 62. */
function checksumOf(body: string): string {
  let text = ''
  for (let left = Bun.hash.crc32(body); left > 0; left = Math.floor(left / DIGITS.length))
    text = DIGITS.charAt(left % DIGITS.length) + text
  return text.padStart(CHECK_LENGTH, '0')
}
