import { createHash, randomInt } from 'node:crypto'
import { BASE_62, type CredentialTags, TAG_LENGTH } from './credential-tags.ts'

/** Lets a scanner of secrets find one that was published by mistake. */
const PREFIX = 'plq'
/** 137 bits. */
const RANDOM_LENGTH = 23
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + TAG_LENGTH}}$`)

/** A new write token of a phone app: letters and digits alone, because apps mangle everything else. */
export function newWriteToken(tags: CredentialTags): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE_62.charAt(randomInt(BASE_62.length)))
  return tags.tagged('write token', PREFIX + random.join(''))
}

/** Whether a text looks like a write token, made up or not. */
export const isWriteTokenForm = (text: string): boolean => FORM.test(text)

/** Whether a text can be a write token of ours: a typing error is refused without asking a store. */
export const isWriteToken = (tags: CredentialTags, text: string): boolean =>
  FORM.test(text) && tags.isTagged('write token', text)

/** SHA-256 in base64url, as write tokens are stored: 137 bits need no slow hash. */
export const writeTokenHash = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
