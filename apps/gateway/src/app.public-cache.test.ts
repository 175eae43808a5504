import { expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { TOKENS } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'

const LIMIT = 1_000
const deployment = useGateway({ shared: true, env: { PAGE_READ_LIMIT: String(LIMIT) } })
const PATH = '/api/event/activity'
const asked = () =>
  deployment.services.engagement.calls.filter(({ target }) => target.startsWith('/activity'))

let version = 0
/** The service's answer; each time another one. */
const engagement = (status = 200) =>
  deployment.services.engagement.replyWith(() => {
    const body = status === 200 ? `{"ok":true,"data":{"version":${++version}}}` : '{"error":"away"}'
    const headers = {
      'content-type': 'application/json',
      etag: `"v${version}"`,
      'cache-control': 'public, max-age=5',
    }
    return new Response(body, { status, headers: status === 200 ? headers : {} })
  })
const read = async (headers: Record<string, string> = {}, { path = PATH, method = 'GET' } = {}) => {
  const answer = await deployment.gateway.call(path, { headers, method })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
/** As soon as what was kept is no longer fresh. */
const addGateway = () => {
  const before = version
  return until(async () => (await read()).text.includes(`"version":${before + 1}`), {
    what: 'a fresh answer',
  })
}

test('many clients get the same bytes, loaded once, without headers of a rate, a cookie or a variant', async () => {
  engagement()
  await addGateway()
  const given = [
    {},
    { 'accept-encoding': 'gzip' },
    { accept: 'text/html' },
    { 'x-admin-token': TOKENS.owner },
  ]
  const before = asked().length
  const answers = await Promise.all([
    ...given.map((headers) => read(headers)),
    read({}, { path: `${PATH}?made-up=1` }),
  ])
  expect(asked().length - before).toBeLessThanOrEqual(1)
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
  await addGateway()
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
  const known = await addGateway().then(() => read())
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
