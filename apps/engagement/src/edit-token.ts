import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CredentialTags } from '@palanquin/service/credential-tags'

/** Authenticates the author of feedback or of a report. */
export const EDIT_TOKEN_HEADER = 'x-feedback-token'

/** 256 bits cannot be guessed, whatever the rate limit. */
const TOKEN_BYTES = 32

/** Compared for unknown feedback, so that the response takes as long as for known feedback. */
const UNKNOWN_FEEDBACK_HASH = randomBytes(TOKEN_BYTES)

/** A new edit token, of which the hash is stored. With the client's `nonce` (256 random bits) it is repeatable. */
export const newEditToken = (
  tags: CredentialTags,
  nonce = randomBytes(TOKEN_BYTES).toString('base64url'),
): string => tags.tagged('edit token', nonce)

/** SHA-256 in hex, without salt or stretching: the token is as random as any key. */
export const editTokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Whether a token has the stored hash (null: unknown feedback), in constant time. */
export function isEditToken(token: string, storedHash: Uint8Array | null): boolean {
  const same = timingSafeEqual(Buffer.from(editTokenHash(token), 'hex'), storedHash ?? UNKNOWN_FEEDBACK_HASH)
  return same && storedHash !== null
}
