import { expect, describe as group, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Asset } from './asset.ts'
import { acceptedEncodings } from './encoding.ts'

const TEXT = 'pilgrimage '.repeat(1_000)
const HEADERS = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' }
const asset = new Asset(TEXT, HEADERS)
const ask = async (headers: Record<string, string>, of = asset) => {
  const answer = await of.respond(new Headers(headers))
  const body = answer.body instanceof Blob ? Buffer.from(await answer.body.arrayBuffer()) : null
  return { ...answer, body }
}

group('an asset', () => {
  test('comes in the best encoding that its client accepts, with Vary', async () => {
    const forms = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [encoding, read] of Object.entries(forms)) {
      const { status, headers, body } = await ask({ 'accept-encoding': encoding })
      expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'accept-encoding'])
      expect(body?.byteLength).toBeLessThan(TEXT.length / 10)
      expect(read(body ?? '').toString()).toBe(TEXT)
    }
    const plain = await ask({})
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
    expect(plain.body?.toString()).toBe(TEXT)
  })

  test('has an ETag for each encoding, and is 304 without a body to a client that has it', async () => {
    const tags = new Set<string>()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers } = await ask({ 'accept-encoding': encoding })
      const etag = headers.etag ?? ''
      tags.add(etag)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const unchanged = await ask({ 'accept-encoding': encoding, 'if-none-match': known })
        expect([unchanged.status, unchanged.body, unchanged.headers.etag]).toEqual([304, null, etag])
        expect(unchanged.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' })
        expect(unchanged.headers).not.toHaveProperty('content-encoding')
      }
      expect((await ask({ 'accept-encoding': encoding, 'if-none-match': '"other"' })).status).toBe(200)
    }
    expect(tags.size).toBe(3)
    const other = await ask({}, new Asset(`${TEXT}!`, HEADERS))
    expect(tags).not.toContain(other.headers.etag ?? '')
  })

  test('is not compressed where that saves nothing: images, and what fits into a packet', async () => {
    for (const one of [
      new Asset(new Uint8Array(9_000), { 'content-type': 'image/png' }),
      new Asset('short', HEADERS),
    ]) {
      const { headers } = await ask({ 'accept-encoding': 'br, gzip' }, one)
      expect(headers).not.toHaveProperty('content-encoding')
      expect(headers).not.toHaveProperty('vary')
    }
  })

  test('is compressed once for any number of requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => asset.respond(new Headers({ 'accept-encoding': 'br' }))),
    )
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  })
})

group('Accept-Encoding', () => {
  test.each([
    [null, ['identity']],
    ['', ['identity']],
    ['gzip, deflate, br', ['br', 'gzip', 'identity']],
    ['gzip;q=1.0, br;q=0.5', ['gzip', 'br', 'identity']],
    ['GZIP', ['gzip', 'identity']],
    ['x-gzip', ['gzip', 'identity']],
    ['br;q=0, *', ['gzip', 'identity']],
    ['*;q=0', ['identity']],
    ['identity;q=0, gzip', ['gzip']],
    ['identity, gzip;q=0.1', ['identity', 'gzip']],
    ['deflate', ['identity']],
    ['br;q=nonsense', ['br', 'identity']],
  ] as const)('%p allows %p', (header, expected) => {
    expect(acceptedEncodings(header)).toEqual([...expected])
  })

  test('whatever it lists, there is an encoding to send', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(acceptedEncodings(header).length).toBeGreaterThan(0)
      }),
      { seed: 15 },
    )
  })
})
