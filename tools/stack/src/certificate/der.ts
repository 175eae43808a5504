/**
 * The parts of DER (ITU-T X.690) that a certificate needs. Each is tag, length, content; a library for this
 * has a dozen dependencies.
 */
export type Der = Uint8Array<ArrayBuffer>

export const sequence = (...parts: Der[]): Der => piece(0x30, ...parts)
export const set = (...parts: Der[]): Der => piece(0x31, ...parts)
export const octets = (...parts: Der[]): Der => piece(0x04, ...parts)
export const truth = (): Der => piece(0x01, bytes(0xff))
export const text = (value: string): Der => piece(0x0c, new TextEncoder().encode(value))

/** A named bit string: `bits` are counted from the left. */
export function bitFlags(...bits: number[]): Der {
  const last = Math.max(...bits)
  const value = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0)
  return piece(0x03, bytes(7 - last, value))
}

/** A bit string of whole bytes: a key or a signature. */
export const bits = (content: Der): Der => piece(0x03, bytes(0), content)

/** A whole number from its bytes, most significant first; never negative. */
export function integer(content: Der): Der {
  const start = content.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? bytes(0) : content.subarray(start)
  return piece(0x02, (digits[0] ?? 0) >= 0x80 ? bytes(0) : bytes(), digits)
}

/** A context-specific tag; `constructed` when it wraps further parts. */
export const tagged = (number: number, content: Der, { constructed = true } = {}): Der =>
  piece((constructed ? 0xa0 : 0x80) | number, content)

/** An object identifier from its dotted form. */
export function identifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return piece(0x06, bytes(first * 40 + second, ...rest.flatMap(base128)))
}

/** A timestamp: UTCTime up to 2049, GeneralizedTime after it (RFC 5280, 4.1.2.5). */
export function time(moment: Date): Der {
  const digits = moment.toISOString().replace(/[-:T]|\.\d+/g, '')
  const late = moment.getUTCFullYear() >= 2050
  return piece(late ? 0x18 : 0x17, new TextEncoder().encode(late ? digits : digits.slice(2)))
}

export function bytes(...values: number[]): Der {
  return Uint8Array.from(values)
}

const joined = (...parts: Der[]): Der => Uint8Array.from(parts.flatMap((part) => [...part]))

function piece(tag: number, ...parts: Der[]): Der {
  const content = joined(...parts)
  return joined(bytes(tag, ...lengthOf(content.length)), content)
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const digits: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff)
  return [0x80 | digits.length, ...digits]
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f))
  return digits
}
