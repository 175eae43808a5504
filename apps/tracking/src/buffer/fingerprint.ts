/** Contract 3.2: the same place is the same to 6 decimals. */
const MICRODEGREES = 1_000_000
const UNKNOWN = -1 // no stored measure is negative
const HASH_BITS = 0xff_ffff // short: Redis keeps it for a minute for each point

type Measured = { lat: number; lng: number; accuracy: number | null; speed: number | null }

const measures = new Float64Array(2)
const words = new Int32Array(measures.buffer)

/**
 * Distinguishes points of one time: a hash (24 bits) of place, accuracy and speed. Two that differ collide once in 17
 * million; then the second is taken for a repeat of the first.
 */
export function fingerprint(lat: number, lng: number, accuracy: number | null, speed: number | null): number {
  measures[0] = accuracy ?? UNKNOWN
  measures[1] = speed ?? UNKNOWN
  let hash = mix(0, Math.round(lat * MICRODEGREES) | 0)
  hash = mix(hash, Math.round(lng * MICRODEGREES) | 0)
  hash = mix(hash, (words[0] ?? 0) ^ (words[1] ?? 0))
  hash = mix(hash, (words[2] ?? 0) ^ (words[3] ?? 0))
  return (hash ^ (hash >>> 15)) & HASH_BITS
}

/** MurmurHash3 (Austin Appleby, public domain): its step for one word. */
function mix(hash: number, word: number): number {
  const scrambled = Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotated(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** The same as exact text, for the few points of one time. */
export const identityOf = ({ lat, lng, accuracy, speed }: Measured): string =>
  `${Math.round(lat * MICRODEGREES)} ${Math.round(lng * MICRODEGREES)} ${accuracy} ${speed}`
