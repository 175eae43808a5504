/** 132 bits: nobody meets another's mark, and without the key nobody can try names. */
const TOKEN_CHARACTERS = 22

/** The mark by which an erased participant is known again without being named; a microsecond of work. */
export type ErasureTokenOf = (userId: string) => string

/** Marks under the key of the pseudonyms; of another kind than those, which are public. */
export const erasureTokens =
  (pseudonymSecret: string): ErasureTokenOf =>
  (userId) =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(`erased ${userId}`)
      .digest('base64url')
      .slice(0, TOKEN_CHARACTERS)
