import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createBuffers } from './buffers.ts'
import { ByteWriter } from './byte-writer.ts'

const SEED = 20261123
const written = (write: (writer: ByteWriter) => void): string => {
  const writer = new ByteWriter(createBuffers(), 1)
  write(writer)
  return new TextDecoder().decode(writer.finish().written)
}

test('a number is written as JSON writes it', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.maxSafeInteger(),
    fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map((n) => n / 1e7),
    fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map((n) => n / 1e8),
    fc.integer({ min: -9_999, max: 9_999 }).map((n) => n / 1e9),
    fc.constantFrom(0, -0, 1e-6, 1e-7, 9.999999e-7, 1e21, 1e15, 99_999_999.9999999, 0.1 + 0.2, 24.1, 180),
  )
  fc.assert(
    fc.property(number, (value) => {
      expect(written((writer) => writer.number(value))).toBe(JSON.stringify(value))
    }),
    { seed: SEED, numRuns: 20_000 },
  )
})

test('a time is written as ISO text', () => {
  const ms = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: 1_770_000_000_000, max: 1_770_200_000_000 }),
  )
  fc.assert(
    fc.property(fc.array(ms, { maxLength: 5 }), (times) => {
      expect(written((writer) => times.forEach((time) => void writer.isoTime(time)))).toBe(
        times.map((time) => JSON.stringify(new Date(time))).join(''),
      )
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})

test('text and bytes of any length are written one after another', () => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 30 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const writer = new ByteWriter(createBuffers(), 1)
      for (const one of pieces) {
        if (typeof one === 'string') writer.text(one)
        else writer.base64url(one, 0, one.length - (one.length % 3))
      }
      const expected = pieces.map((one) =>
        typeof one === 'string'
          ? one
          : one.slice(0, one.length - (one.length % 3)).toBase64({ alphabet: 'base64url' }),
      )
      expect(new TextDecoder().decode(writer.finish().written)).toBe(expected.join(''))
    }),
    { seed: SEED, numRuns: 500 },
  )
})
