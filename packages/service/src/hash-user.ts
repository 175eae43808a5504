import { createHmac } from 'node:crypto'
import { listOf } from './config.ts'

/** The short stand-in for a user id in logs and request ids: 12 hex digits. Never log the id itself. */
export type HashUser = (userId: string) => string

const HEX_DIGITS = 12

/** Pseudonyms by HMAC-SHA256 with a secret of the stack, so that they cannot be found by hashing ids. */
export function userHasher(internalToken: string): HashUser {
  const [newest = internalToken] = listOf(internalToken)
  return (userId) =>
    createHmac('sha256', newest).update(`a user in logs: ${userId}`).digest('hex').slice(0, HEX_DIGITS)
}
