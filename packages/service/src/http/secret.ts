import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Compares two secrets in constant time, whatever their lengths. */
export const sameSecret = (given: string, known: string): boolean =>
  timingSafeEqual(digest(given), digest(known))

/** A prepared comparison against one known secret, which is hashed once. */
export function secretCheck(known: string): (given: string | null | undefined) => boolean {
  const knownDigest = digest(known)
  return (given) => given !== null && given !== undefined && timingSafeEqual(digest(given), knownDigest)
}
