import { createHash, timingSafeEqual } from 'node:crypto'
import { listOf } from '../config.ts'

/** The new one and the old one. */
const SHOWN_MAX = 2

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Compares two secrets in constant time, whatever their lengths. */
export const sameSecret = (given: string, known: string): boolean =>
  timingSafeEqual(digest(given), digest(known))

/**
 * A prepared check of a secret that may be two for a while, `new,old`: who calls shows all that it has, and one of them
 * must be one of ours. So two processes understand each other whichever of them has the new value first.
 */
export function anySecretCheck(known: string): (given: string | null | undefined) => boolean {
  const digests = listOf(known).map(digest)
  return (given) => {
    let same = false
    for (const one of listOf(given ?? '')
      .slice(0, SHOWN_MAX)
      .map(digest))
      for (const mine of digests) if (timingSafeEqual(one, mine)) same = true
    return same
  }
}
