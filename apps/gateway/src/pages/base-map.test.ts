import { afterAll, expect, describe as group, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useGateway } from '../../test/use-gateway.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const SIZE = 3_000_000
const MIB = 1_048_576
const bytes = Buffer.from(Uint8Array.from({ length: SIZE }, (_, at) => at % 251))
bytes.write('PMTiles\u0003', 0)
const build = makeWebBuild()
const folder = mkdtempSync(join(tmpdir(), 'base-map-'))
const file = join(folder, 'base.pmtiles')
writeFileSync(file, bytes)
afterAll(() => {
  build.remove()
  rmSync(folder, { recursive: true, force: true })
})
const env = { WEB: 'on', WEB_DIR: build.folder, BASE_MAP: file }
const deployment = useGateway({ env })
const get = async (headers: Record<string, string> = {}, method = 'GET') => {
  const response = await deployment.gateway.call('/tiles/base.pmtiles', { headers, method })
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

group('the base map', () => {
  test.each([
    ['bytes=0-126', 0, 126],
    ['bytes=127-127', 127, 127],
    [`bytes=${SIZE - 10}-`, SIZE - 10, SIZE - 1],
    [`bytes=${SIZE - 10}-${SIZE + 999}`, SIZE - 10, SIZE - 1],
    ['bytes=-5', SIZE - 5, SIZE - 1],
    ['bytes=0-', 0, MIB - 1],
    [`bytes=100-${SIZE}`, 100, 99 + MIB],
    [`bytes=-${SIZE * 2}`, 0, MIB - 1],
  ])('%s is served from %p to %p, a MiB at most', async (range, from, to) => {
    const { status, headers, body } = await get({ range })
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${from}-${to}/${SIZE}`])
    expect(body.equals(bytes.subarray(from, to + 1))).toBe(true)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('etag')).toMatch(/^"[\w-]+"$/)
    expect(headers.get('ratelimit-limit')).toBeNull()
  })

  test.each([
    `bytes=${SIZE}-`,
    'bytes=5-4',
    'bytes=-0',
    'bytes=-',
    'bytes=0-1,5-6',
    'bytes=a-b',
    'items=0-1',
    '',
  ])('%p cannot be given: 416 with the size', async (range) => {
    const { status, headers, body } = await get({ range })
    expect([status, headers.get('content-range'), body.length]).toEqual([416, `bytes */${SIZE}`, 0])
  })

  test('is never sent whole where it is large', async () => {
    expect((await get()).status).toBe(416)
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(416)
  })

  test('has its length and ETag on HEAD, and is 304 to who has it', async () => {
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(SIZE)])
    expect(head.headers.get('accept-ranges')).toBe('bytes')
    const tag = head.headers.get('etag') ?? ''
    expect((await get({ range: 'bytes=0-1', 'if-none-match': tag })).status).toBe(304)
    expect((await get({ range: 'bytes=0-1', 'if-range': tag })).status).toBe(206)
  })

  test('is announced in the pages with its version, and is not where there is none', async () => {
    const html = await (await deployment.gateway.call('/map')).text()
    expect(html).toMatch(/<meta name="base-map" content="\/tiles\/base\.pmtiles\?v=[\w-]{16}">/)
    const without = await deployment.addGateway({ env: { ...env, BASE_MAP: '' } })
    expect(await (await without.call('/map')).text()).toContain('<meta name="base-map" content="">')
    expect((await without.call('/tiles/base.pmtiles')).status).toBe(404)
  })

  test('that is not there, or is another kind of file, stops the start with a sentence', async () => {
    const other = join(folder, 'other')
    writeFileSync(other, 'PMTiles')
    await expect(deployment.addGateway({ env: { ...env, BASE_MAP: other } })).rejects.toThrow(
      'is not a PMTiles file of version 3',
    )
    await expect(deployment.addGateway({ env: { ...env, BASE_MAP: join(folder, 'none') } })).rejects.toThrow(
      'cannot be read',
    )
  })
})
