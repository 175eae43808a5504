/** A LINE id: `U` and 32 hex digits. */
const LINE_LENGTH = 33
const LINE_INITIAL = 'U'.charCodeAt(0)
/** Begins a packed LINE id; no character of an id has this code. */
const PACKED = 1
const PACKED_BYTES = 17
const NO_DIGIT = 255
const HEX = '0123456789abcdef'

const DIGIT_OF = new Uint8Array(256).fill(NO_DIGIT)
for (const [digit, character] of [...HEX].entries()) DIGIT_OF[character.charCodeAt(0)] = digit

/**
 * Writes a `userId` as bytes, and returns how many: a LINE id in 17, any other as it is (its characters are ASCII).
 * Equal bytes mean equal ids.
 */
export function writeId(userId: string, target: Uint8Array): number {
  if (userId.length === LINE_LENGTH && packLineId(userId, target)) return PACKED_BYTES
  for (let at = 0; at < userId.length; at++) target[at] = userId.charCodeAt(at)
  return userId.length
}

/** The `userId` that `writeId` wrote. */
export function readId(bytes: Uint8Array): string {
  if (bytes[0] !== PACKED) return String.fromCharCode(...bytes)
  let hex = ''
  for (let at = 1; at < PACKED_BYTES; at++) {
    const byte = bytes[at] ?? 0
    hex += (HEX[byte >> 4] ?? '') + (HEX[byte & 15] ?? '')
  }
  return `U${hex}`
}

function packLineId(userId: string, target: Uint8Array): boolean {
  if (userId.charCodeAt(0) !== LINE_INITIAL) return false
  target[0] = PACKED
  for (let at = 1; at < PACKED_BYTES; at++) {
    const high = DIGIT_OF[userId.charCodeAt(2 * at - 1)] ?? NO_DIGIT
    const low = DIGIT_OF[userId.charCodeAt(2 * at)] ?? NO_DIGIT
    if (high === NO_DIGIT || low === NO_DIGIT) return false
    target[at] = (high << 4) | low
  }
  return true
}
