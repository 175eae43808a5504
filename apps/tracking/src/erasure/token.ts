/** 132 bits: no two participants share a token, and without the key no name can be tried. */
const TOKEN_CHARACTERS = 22

/** The erasure token of a participant: recognises an erased one without naming them; a microsecond of work. */
export type ErasureTokenOf = (userId: string) => string

/** Tokens under the key of the pseudonyms; never equal to those, which are public. */
export const erasureTokens =
  (pseudonymSecret: string): ErasureTokenOf =>
  (userId) =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(`erased ${userId}`)
      .digest('base64url')
      .slice(0, TOKEN_CHARACTERS)
