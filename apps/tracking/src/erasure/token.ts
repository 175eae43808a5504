/** 132 bits: nobody meets another's mark, and without the key nobody can try names. */
const MARK_CHARACTERS = 22

/** The mark by which an erased participant is known again without being named; a microsecond of work. */
export type MarkOf = (userId: string) => string

/** Marks under the key of the pseudonyms; of another kind than those, which are public. */
export const marksOf =
  (pseudonymSecret: string): MarkOf =>
  (userId) =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(`erased ${userId}`)
      .digest('base64url')
      .slice(0, MARK_CHARACTERS)
