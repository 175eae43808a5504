import { afterAll, beforeAll, beforeEach, expect, describe as group, test } from 'bun:test'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { rawCall } from './stand/raw.ts'
import { INTERNAL_TOKEN, type Stand, startServices, startStand, TOKENS } from './stand/stand.ts'

let redis: TestServer
let services: ReturnType<typeof startServices>
let stand: Stand
const callsOf = () => Object.values(services).flatMap((service) => ('calls' in service ? service.calls : []))

beforeAll(async () => {
  redis = await testRedis()
  services = startServices()
  stand = await startStand({
    services,
    redisUrl: redis.url,
    env: { RATE_LIMITS: 'off', PUBLIC_HOSTS: 'walk.example' },
  })
})
beforeEach(() => {
  for (const service of Object.values(services)) if ('calls' in service) service.calls.length = 0
})
afterAll(async () => {
  await stand.close()
  await services.close()
  await redis.close()
})

const get = (path: string, host = 'localhost') =>
  rawCall(stand.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

group('hosts', () => {
  test.each(['walk.example', 'WALK.example:8443', 'localhost', '127.0.0.1:1', '[::1]'])(
    '%s is served',
    async (host) => {
      expect((await get('/api/event/data', host)).status).toBe(200)
    },
  )

  test.each([
    'x',
    'evil.example',
    '',
    'walk.example, evil.example',
    'u@localhost',
    'a/b?c',
    'localhost:x',
    'localhost.',
  ])('%p is 400, and nothing is asked for it', async (host) => {
    // A short host once moved the router's idea of the path: an admin path behind it must stay shut.
    for (const path of ['/api/event/data', '/admin/status', '/api/event/admin/status', '/health'])
      expect((await get(path, host)).status).toBe(400)
    expect(callsOf()).toEqual([])
  })

  test('a second Host header, or none, is 400', async () => {
    const doubled = 'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'
    expect((await rawCall(stand.port, doubled)).status).toBe(400)
    expect((await rawCall(stand.port, 'GET /api/event/data HTTP/1.1\r\n\r\n')).status).toBe(400)
    expect((await rawCall(stand.port, 'GET /api/event/data HTTP/1.0\r\n\r\n')).status).toBe(400)
    expect(callsOf()).toEqual([])
  })

  test('a host in the request line reaches no other host', async () => {
    await get('http://evil.example/api/event/data')
    for (const call of callsOf()) expect(call.headers.get('host')).toBe('service.internal')
  })
})

group('paths', () => {
  test.each([
    '//evil.example/api/event/data',
    '/\\evil.example/api/event/data',
    '//api/event/data',
    '/\\api\\event\\data',
    '/api\\event\\data',
    '/api/event//data',
    '/api/event/data/',
    '/api/event/./data',
    '/api/event/x/../data',
    '/api/event/x/%2e%2e/data',
    '/api/event/x/%2E%2E/data',
    '/api/event/%2e/data',
    '/api/event/..;/data',
    '/api/event/x/..;/data',
    '/api/event/data;x=1',
    '/api/event/data%00',
    '/api/event/data%2f',
    '/api/event/%64ata',
    '/api/event/%2564ata',
    '/API/event/data',
    '/api/event/data#x',
    '/api/other/data',
    '/data',
    '/api/event/user/',
    '/api/event/user/..',
    '/api/event/user/%2e%2e',
    '/api/event/user/a/../b',
    '/api/event/user/a%2fb',
    '/api/event/user/..%2fadmin%2fstatus',
    '/api/event/user/a%252fb',
    '/api/event/user/a%00b',
    '/api/event/user/a.b',
    '/api/event/user/a;b',
    '/api/event/user/a%20b',
    '/api/event/user/%zz',
    '/api/event/user/%E4%B8%AD',
    `/api/event/user/${'x'.repeat(65)}`,
    '/api/event/og/U1',
    '/api/event/og/.png',
    '/api/event/og/a.b.png',
    '/api/event/og/..%2fx.png',
    '/api/event/og/U1.png.png',
    '/api/event/og/U1.PNG',
    '/api/event/feedback-image/a%2fb.png',
    '/internal/health',
    '/api/event/internal/flush',
    '/metrics',
    '/api/event/metrics',
    '/docs/../health',
    '/docs/package.json',
    '/docs/%2e%2e/package.json',
    '/',
  ])('%s is 404 and reaches no service', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('"error":"There is nothing at this path."')
    expect(callsOf()).toEqual([])
  })

  test('a parameter is decoded once', async () => {
    expect((await get('/api/event/user/%55%31')).status).toBe(200)
    expect(callsOf()[0]?.target).toBe('/user/U1')
  })
})

group('request smuggling', () => {
  const H = 'POST /api/event/checkin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const HIDDEN = 'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\n\r\n'
  test.each([
    ['CL and TE', `${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['TE and CL', `${H}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['two CL that differ', `${H}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}${HIDDEN}`],
    ['two CL that agree', `${H}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
    ['a list of CL', `${H}Content-Length: 2, 2\r\n\r\n{}`],
    ['CL +5', `${H}Content-Length: +5\r\n\r\n{"a":`],
    ['CL -5', `${H}Content-Length: -5\r\n\r\n{"a":`],
    ['CL 0x5', `${H}Content-Length: 0x5\r\n\r\n{"a":`],
    ['CL 5 5', `${H}Content-Length: 5 5\r\n\r\n{"a":`],
    ['an empty CL', `${H}Content-Length: \r\n\r\n{}`],
    ['a CL past all numbers', `${H}Content-Length: 99999999999999999999999\r\n\r\n{}`],
    ['obs-fold', `${H}X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`],
    ['obs-fold in CL', `${H}Content-Length:\r\n 2\r\n\r\n{}`],
    ['a space before the colon', `${H}Content-Length : 2\r\n\r\n{}`],
    ['TE identity', `${H}Transfer-Encoding: identity\r\n\r\n{}`],
    ['TE xchunked', `${H}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['TE gzip, chunked', `${H}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['TE chunked, identity', `${H}Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['two TE', `${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size of +2', `${H}Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size of 0x2', `${H}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than it says', `${H}Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX\r\n0\r\n\r\n`],
    ['bare line feeds in chunks', `${H}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`],
    ['a bare CR in a header', `${H}X-A: a\rb\r\nContent-Length: 2\r\n\r\n{}`],
    ['NUL in a header', `${H}X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}`],
  ])('%s is 400, closes the connection, and nothing behind it is served', async (_, bytes) => {
    const answer = await rawCall(stand.port, bytes)
    expect(answer.status).toBe(400)
    expect(answer.closed).toBe(true)
    expect(answer.text.match(/HTTP\/1\.1 2/g)).toBeNull()
    expect(callsOf()).toEqual([])
  })

  test('a body on a GET is not the next request', async () => {
    const answer = await rawCall(
      stand.port,
      `GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    )
    expect(answer.text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(callsOf()).toHaveLength(1)
  })

  test('plain HTTP on the TLS port is not served', async () => {
    await expect(fetch(`http://localhost:${stand.port}/health`)).rejects.toThrow()
  })
})

group('headers to a service', () => {
  test('come from an allowlist: what a client claims stays outside', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-internal-token': 'forged',
      'x-internal-tier': '3',
      'x-internal-client': '1.2.3.4',
      'x-internal-anything': 'x',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'for=1.2.3.4',
      'x-real-ip': '1.2.3.4',
      'proxy-authorization': 'Basic eA==',
      cookie: 'a=b',
      'x-nominated': 'x',
      te: 'trailers',
      'x-admin-token': TOKENS.owner,
      authorization: 'Bearer x',
      'x-request-id': 'kept-1',
    }
    await stand.call('/api/event/checkin', { method: 'POST', body: '{"userId":"U1"}', headers })
    const [call] = services.tracking.calls
    const {
      host,
      connection,
      accept,
      'user-agent': agent,
      'content-length': length,
      ...rest
    } = Object.fromEntries(call?.headers ?? [])
    expect(rest).toEqual({
      'content-type': 'application/json',
      'x-internal-token': INTERNAL_TOKEN,
      'x-internal-tier': '0',
      'x-internal-client': '127.0.0.1',
      'x-request-id': 'kept-1',
    })
    expect({ host, connection, accept, length }).toEqual({
      host: 'service.internal',
      connection: 'keep-alive',
      accept: '*/*',
      length: '15',
    })
    expect(agent).toStartWith('Bun/')
  })

  test('a header named by Connection does not go on', async () => {
    await rawCall(
      stand.port,
      'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nConnection: x-nominated\r\nX-Nominated: x\r\nAccept: text/a\r\n\r\n',
    )
    expect(services.tracking.calls[0]?.headers.get('x-nominated')).toBeNull()
    expect(services.tracking.calls[0]?.headers.get('accept')).toBe('text/a')
  })

  test('what a service says beside its answer stays inside', async () => {
    services.tracking.replyWith(() =>
      Response.json(
        { ok: true },
        {
          headers: {
            'set-cookie': 'a=b',
            server: 'x',
            'x-secret': 'y',
            etag: '"e"',
            location: 'http://evil.example/',
          },
        },
      ),
    )
    const { headers } = await stand.call('/api/event/data')
    for (const name of ['set-cookie', 'server', 'x-secret', 'location']) expect(headers.has(name)).toBe(false)
    expect(headers.get('etag')).toBe('"e"')
  })

  test('a redirect of a service is not followed', async () => {
    services.tracking.replyWith(() => Response.redirect('http://127.0.0.1:1/', 302))
    const answer = await stand.call('/api/event/data')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, null])
  })
})
