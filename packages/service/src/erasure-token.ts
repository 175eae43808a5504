import { toIso } from '@palanquin/domain/time'

/** 132 bits: no two participants share a token, and without the key no name can be tried. */
const TOKEN_CHARACTERS = 22

/** The erasure token of a participant: recognises an erased one without naming them. */
export type ErasureTokenOf = (userId: string) => string

/** Tokens under the key of the pseudonyms; never equal to those, which are public. */
export const erasureTokens =
  (pseudonymSecret: string): ErasureTokenOf =>
  (userId) =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(`erased ${userId}`)
      .digest('base64url')
      .slice(0, TOKEN_CHARACTERS)

/** Who wrote (as erasure token) and when it was received: `unlessErased` (packages/db) compares it. */
export type Receipt = string
export type ReceiptOf = (userId: string, receivedAt: number) => Receipt

export const receiptsUnder = (pseudonymSecret: string): ReceiptOf => {
  const tokenOf = erasureTokens(pseudonymSecret)
  return (userId, receivedAt) => `${tokenOf(userId)} ${toIso(receivedAt)}`
}
