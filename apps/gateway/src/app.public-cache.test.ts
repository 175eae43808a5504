import { expect, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { TOKENS } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'

const LIMIT = 1_000
const deployment = useGateway({ shared: true, env: { PAGE_READ_LIMIT: String(LIMIT) } })
const PATH = '/api/event/activity'
const asked = () =>
  deployment.services.engagement.calls.filter(({ target }) => target.startsWith('/activity'))

let version = 0
/** The service's answer from now on; another one than before. It stays, since a busy machine reads it again between two steps. */
const engagement = (status = 200) => {
  if (status === 200) version++
  const mine = version
  deployment.services.engagement.replyWith(() => {
    const body = status === 200 ? `{"ok":true,"data":{"version":${mine}}}` : '{"error":"away"}'
    const headers = {
      'content-type': 'application/json',
      etag: `"v${mine}"`,
      'cache-control': 'public, max-age=5',
    }
    return new Response(body, { status, headers: status === 200 ? headers : {} })
  })
}
const read = async (
  headers: Record<string, string> = {},
  { path = PATH, method = 'GET', gateway = deployment.gateway } = {},
) => {
  const answer = await gateway.call(path, { headers, method })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
/** As soon as what was kept is no longer fresh. */
const untilFresh = () =>
  until(async () => (await read()).text.includes(`"version":${version}}`), { what: 'a fresh answer' })

test('many clients get the same bytes, loaded once, without headers of a rate, a cookie or a variant', async () => {
  engagement()
  // What it read stays fresh, however late the others come.
  const gateway = await deployment.addGateway({ shared: true, freshMs: TEST_TIMEOUT_MS })
  const given = [
    {},
    { 'accept-encoding': 'gzip' },
    { accept: 'text/html' },
    { 'x-admin-token': TOKENS.owner },
  ]
  const before = asked().length
  const answers = await Promise.all([
    ...given.map((headers) => read(headers, { gateway })),
    read({}, { gateway, path: `${PATH}?made-up=1` }),
  ])
  expect(asked().length - before).toBe(1)
  for (const { status, headers, text } of answers) {
    expect([status, text]).toEqual([200, `{"ok":true,"data":{"version":${version}}}`])
    expect(headers.get('cache-control')).toBe('public, max-age=5')
    expect(headers.get('etag')).toBe(`"v${version}"`)
    for (const name of ['ratelimit-limit', 'set-cookie', 'vary', 'content-encoding'])
      expect([name, headers.get(name)]).toEqual([name, null])
  }
  for (const { headers, target } of asked()) {
    expect(target).toBe('/activity')
    for (const name of ['accept-encoding', 'if-none-match']) expect(headers.get(name)).toBeNull()
  }
})

test('a client that has it gets a 304, and HEAD has the length without the bytes', async () => {
  engagement()
  await untilFresh()
  const { headers, text } = await read()
  const tag = headers.get('etag') ?? ''
  const again = await read({ 'if-none-match': `W/"other", ${tag}` })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
  expect(again.headers.get('cache-control')).toBe('public, max-age=5')
  const head = await read({}, { method: 'HEAD' })
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag])
  expect(head.headers.get('content-length')).toBe(String(text.length))
})

test.each(['activity', 'beacons', 'density', 'places', 'route', 'notices', 'consent'])(
  'GET /%s is the same for everybody, with a strong ETag and without the headers of a rate',
  async (name) => {
    const { tracking, map, engagement: guide } = deployment.services
    const headers = {
      'content-type': 'application/json',
      etag: `"of-${name}"`,
      'cache-control': 'public, max-age=5',
    }
    for (const service of [tracking, map, guide])
      service.replyWith(() => new Response(`{"ok":true,"data":"${name}"}`, { headers }))
    const path = `/api/event/${name}`
    // What another test has made current is read again once it is no longer fresh.
    await until(async () => (await read({}, { path })).headers.get('etag') === headers.etag, {
      what: 'a fresh answer',
    })
    for (const asked of [{}, { 'x-admin-token': TOKENS.owner }, { cookie: 'a=b', 'accept-language': 'en' }]) {
      const answer = await read(asked, { path })
      expect([answer.status, answer.text]).toEqual([200, `{"ok":true,"data":"${name}"}`])
      for (const header of [
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'set-cookie',
        'vary',
      ])
        expect([header, answer.headers.get(header)]).toEqual([header, null])
    }
    const unchanged = await read({ 'if-none-match': headers.etag }, { path })
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
  },
)

test('while the service is away the last response is given; where there never was one, its 503', async () => {
  engagement()
  const known = await untilFresh().then(() => read())
  engagement(503)
  const before = asked().length
  await until(async () => (await read()).text === known.text && asked().length > before, {
    what: 'it was asked',
  })
  expect(await read()).toMatchObject({ status: 200, text: known.text })
  const other = await deployment.addGateway({ shared: true })
  expect((await other.call(PATH)).status).toBe(503)
})

test('these reads have their own limit by address, and a 429 says when to retry', async () => {
  engagement()
  const limited = await deployment.addGateway({ shared: true, env: { PAGE_READ_LIMIT: '3' } })
  const statuses: number[] = []
  let last: Response | undefined
  for (let i = 0; i < LIMIT + 1 && last?.status !== 429; i++) {
    last = await limited.call(PATH)
    statuses.push(last.status)
  }
  expect(statuses.at(-1)).toBe(429)
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(last?.headers.get('ratelimit-limit')).toBeNull()
  // Other reads are counted by themselves.
  expect((await limited.call('/api/event/survey')).status).toBe(200)
})

test('a large answer is compressed once per version, with an ETag for each encoding and Vary', async () => {
  const text = JSON.stringify({ ok: true, data: 'a crowd of many, '.repeat(500) })
  const headers = {
    'content-type': 'application/json',
    etag: '"whole"',
    'cache-control': 'public, max-age=5',
  }
  deployment.services.map.replyWith(() => new Response(text, { headers }))
  const path = '/api/event/density?z=9&x=1&y=2'
  const tags = new Set<string | null>()
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await read({ 'accept-encoding': encoding }, { path })
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    const tag = answer.headers.get('etag') ?? ''
    tags.add(tag)
    const again = await read({ 'accept-encoding': encoding, 'if-none-match': tag }, { path })
    expect([again.status, again.text, again.headers.get('vary')]).toEqual([304, '', 'accept-encoding'])
    expect(again.headers.get('content-encoding')).toBeNull()
  }
  expect(tags.size).toBe(3)
  const other = await read({ 'accept-encoding': 'br', 'if-none-match': '"whole"' }, { path })
  expect(other.status).toBe(200)
})

test('each tile of the density and each trail has bytes of its own; made-up parameters have none', async () => {
  deployment.services.map.replyWith(({ url }) => {
    const { pathname, search } = new URL(url)
    return new Response(JSON.stringify({ target: pathname + search }))
  })
  const of = async (path: string) => JSON.parse((await read({}, { path: `/api/event${path}` })).text).target
  const [one, other] = ['0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e10', '0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e11']
  const targets = await Promise.all(
    [
      `/beacons/${one}/trail`,
      `/beacons/${other}/trail`,
      '/density?z=8&x=1&y=2',
      '/density?y=3&made-up=1&x=1&z=8',
    ].map(of),
  )
  expect(targets).toEqual([
    `/beacons/${one}/trail`,
    `/beacons/${other}/trail`,
    '/density?z=8&x=1&y=2',
    '/density?z=8&x=1&y=3',
  ])
})

test('what the service no longer has is not given any more', async () => {
  const path = '/api/event/beacons/0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e12/trail'
  const { map } = deployment.services
  map.replyWith(() => new Response('{"ok":true}'))
  expect((await read({}, { path })).status).toBe(200)
  map.replyWith(() => new Response('{"error":"gone"}', { status: 404 }))
  await until(async () => (await read({}, { path })).status === 404, { what: 'the 404' })
})

test('the density is read from the map process, and never reaches tracking, which takes check-ins', async () => {
  const { tracking, map } = deployment.services
  map.replyWith(() => new Response('{"ok":true}'))
  const before = [tracking.calls.length, map.calls.length] as const
  for (const query of ['?z=10&x=1&y=2', '?z=10&x=1&y=3', '?z=99', '?made-up=1&z=10&x=5&y=6'])
    await read({}, { path: `/api/event/density${query}` })
  expect(tracking.calls.length).toBe(before[0])
  expect(map.calls.length - before[1]).toBe(4)
})

test('a trail is loaded once for all times of a minute, and its bytes are compressed once for all that have them', async () => {
  const text = JSON.stringify({
    type: 'Feature',
    geometry: null,
    properties: { times: Array(2_000).fill(7) },
  })
  const headers = {
    'content-type': 'application/geo+json',
    etag: '"way"',
    'cache-control': 'public, max-age=30',
  }
  deployment.services.map.replyWith(() => new Response(text, { headers }))
  const gateway = await deployment.addGateway({ shared: true, freshMs: TEST_TIMEOUT_MS })
  const since = (time: string) =>
    read({ 'accept-encoding': 'br' }, { path: `/api/event/beacons/one/trail?since=${time}`, gateway })
  const before = deployment.services.map.calls.length
  for (const second of ['00', '07', '59.999'])
    expect((await since(`2026-04-17T14:05:${second}Z`)).status).toBe(200)
  expect((await since(encodeURIComponent('2026-04-17T22:05:30+08:00'))).status).toBe(200)
  const asked = () =>
    deployment.services.map.calls.slice(before).map(({ target }) => decodeURIComponent(target))
  expect(asked()).toEqual(['/beacons/one/trail?since=2026-04-17T14:05:00.000Z'])

  const READS = 100
  const used = process.cpuUsage()
  for (let n = 0; n < READS; n++) await since(new Date(Date.UTC(2026, 3, 17) + n * 60_000).toISOString())
  const { user, system } = process.cpuUsage(used)
  expect(asked()).toHaveLength(1 + READS)
  expect((user + system) / 1_000 / READS).toBeLessThan(20)
  expect((await since('no-time')).status).toBe(200)
  expect(asked().at(-1)).toBe('/beacons/one/trail?since=no-time')
})
