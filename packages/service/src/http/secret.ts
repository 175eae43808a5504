import { createHash, timingSafeEqual } from 'node:crypto'
import { listOf } from '../config.ts'

const SHOWN_MAX = 2

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Compares two secrets in constant time, whatever their lengths. */
export const sameSecret = (input: string, known: string): boolean =>
  timingSafeEqual(digest(input), digest(known))

/** A check of a secret that may be two for a while (`new,old`): one of the given must be one of ours. */
export function anySecretCheck(known: string): (input: string | null | undefined) => boolean {
  const digests = listOf(known).map(digest)
  return (input) => {
    let same = false
    for (const one of listOf(input ?? '')
      .slice(0, SHOWN_MAX)
      .map(digest))
      for (const mine of digests) if (timingSafeEqual(one, mine)) same = true
    return same
  }
}
