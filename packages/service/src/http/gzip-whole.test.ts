import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { acceptsGzip, gzipWhole } from './gzip-whole.ts'

const SEED = 20260501
async function* of(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

test('a text comes back whole, however it was cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (pieces) => {
      const gzipped = await gzipWhole(of(pieces), 1_000_000)
      expect(new TextDecoder().decode(Bun.gunzipSync(gzipped ?? new Uint8Array()))).toBe(
        new TextDecoder().decode(new TextEncoder().encode(pieces.join(''))),
      )
    }),
    { seed: SEED, numRuns: 50 },
  )
})

test('what would take too much memory is given up, and its source is closed', async () => {
  let isClosed = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield Array.from({ length: 10_000 }, () => Math.random().toString(36)).join('')
    } finally {
      isClosed = true
    }
  }
  expect(await gzipWhole(endless(), 200_000)).toBeNull()
  expect(isClosed).toBe(true)
})

test('a source that fails fails the whole', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('the store is away')
  }
  await expect(gzipWhole(failing(), 1_000)).rejects.toThrow('the store is away')
})

test.each([
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1.0, gzip;q=0.8', true],
  ['gzip;q=0, br', false],
  ['gzip; q=0.000', false],
  ['identity', false],
  ['', false],
])('accept-encoding %p: %p', (value, expected) => {
  expect(acceptsGzip(new Headers({ 'accept-encoding': value }))).toBe(expected)
})
