import { expect, describe as group, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { json, TAGS, TOKENS } from '../test/gateway.ts'
import { rawCall } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ statusDeadlineMs: TEST_TIMEOUT_MS })

group('methods', () => {
  test.each([
    ['GET', '/api/event/checkin', 'POST, OPTIONS'],
    ['POST', '/api/event/data', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/api/event/user/U1', 'GET, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/api/event/admin/status', 'GET, PUT, HEAD, OPTIONS'],
    ['HEAD', '/api/event/checkin', 'POST, OPTIONS'],
    ['DELETE', '/api/event/feedback/status', 'GET, PATCH, HEAD, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/docs', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const answer = await deployment.gateway.call(path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })

  test('a fixed path is a parameter for the methods that only the path with the parameter has', async () => {
    const headers = {
      'x-feedback-token': TAGS.tagged('edit token', 'x'.repeat(43)),
      'content-type': 'application/json',
    }
    const init = { method: 'PATCH', body: '{}', headers }
    const answer = await deployment.gateway.call('/api/event/feedback/status', init)
    expect([answer.status, deployment.calls().map(({ target }) => target)]).toEqual([
      200,
      ['/feedback/status'],
    ])
  })

  test('another method is 404 where a parameter is not what it must be', async () => {
    for (const path of ['/api/event/og/U1', '/api/event/user/a.b'])
      expect((await deployment.gateway.call(path, { method: 'PUT' })).status).toBe(404)
    expect((await deployment.gateway.call('/api/event/og/U1.png', { method: 'PUT' })).status).toBe(405)
  })

  test('an unknown method is an error or ends the connection, and reaches no route', async () => {
    for (const method of ['TRACE', 'CONNECT', 'FOO', 'get']) {
      const { status } = await rawCall(
        deployment.gateway.port,
        `${method} /api/event/data HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      )
      expect([0, 400, 404, 405, 501]).toContain(status)
    }
  })

  test.each([
    '/api/event/data',
    '/api/event/user/U1',
    '/api/event/auth/role',
    '/health',
    '/ready',
    '/openapi.json',
    '/docs',
  ])('HEAD %s says what GET would, without a body', async (path) => {
    const headers = { 'x-admin-token': TOKENS.owner, 'x-request-id': 'same' }
    const get = await deployment.gateway.call(path, { headers })
    const head = await deployment.gateway.call(path, { method: 'HEAD', headers })
    expect(await head.text()).toBe('')
    expect(head.status).toBe(get.status)
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  test('HEAD of an unknown path is 404, of one that needs a token 401', async () => {
    for (const path of ['/api/event/user/a.b', '/nothing', '/api/event/user/%2e%2e'])
      expect((await deployment.gateway.call(path, { method: 'HEAD' })).status).toBe(404)
    expect((await deployment.gateway.call('/api/event/auth/role', { method: 'HEAD' })).status).toBe(401)
    expect((await deployment.gateway.call('/api/event/user/%55%31', { method: 'HEAD' })).status).toBe(200)
  })
})

group('CORS', () => {
  test.each(['/api/event/checkin', '/nothing/at/all', '/', '/health', '//x'])(
    'OPTIONS %s is 204',
    async (path) => {
      const answer = await rawCall(
        deployment.gateway.port,
        `OPTIONS ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      )
      expect(answer.status).toBe(204)
      expect(answer.text.toLowerCase()).toContain('access-control-max-age: 86400')
      expect(answer.text).toContain('X-Admin-Token')
    },
  )

  test('responses and errors may be read from every origin, without credentials', async () => {
    for (const path of ['/api/event/data', '/nothing', '/api/event/auth/role']) {
      const { headers } = await deployment.gateway.call(path, { headers: { origin: 'https://map.example' } })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
      expect(headers.get('access-control-expose-headers')).toContain('RateLimit-Remaining')
    }
  })

  test('with a list, exactly its origins, and the service’s Vary is kept', async () => {
    const other = await deployment.addGateway({
      env: { CORS_ORIGINS: 'https://map.example' },
    })
    deployment.services.map.replyWith(() =>
      Response.json({ ok: true }, { headers: { vary: 'Accept-Encoding' } }),
    )
    const of = async (origin: string) =>
      (await other.call('/api/event/data', { headers: { origin } })).headers
    expect((await of('https://map.example')).get('access-control-allow-origin')).toBe('https://map.example')
    for (const origin of ['null', 'https://evil.example']) {
      const headers = await of(origin)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('vary')).toBe('Origin, Accept-Encoding')
    }
  })
})

group('request ids', () => {
  test('are on every response and in the body of errors, and reach the service', async () => {
    const headers = { 'x-request-id': 'my-own_id-1' }
    for (const path of ['/api/event/data', '/nothing', '/api/event/auth/role', '/health', '/docs']) {
      const answer = await deployment.gateway.call(path, { headers })
      expect(answer.headers.get('x-request-id')).toBe('my-own_id-1')
      if (answer.status >= 400) expect(await answer.json()).toMatchObject({ requestId: 'my-own_id-1' })
    }
    expect(deployment.services.map.calls.at(-1)?.headers.get('x-request-id')).toBe('my-own_id-1')
    expect(
      (await deployment.gateway.call('/nothing', { headers: { 'x-request-id': 'a b' } })).headers.get(
        'x-request-id',
      ),
    ).not.toBe('a b')
  })
})

group('caching', () => {
  test('of a service applies to successful public responses of cacheable routes alone', async () => {
    const caching = { 'cache-control': 'public, max-age=5' }
    const cached = async (path: string, init?: RequestInit) =>
      (await deployment.gateway.call(path, init)).headers.get('cache-control')
    deployment.services.map.replyWith(() => Response.json({ ok: true }, { headers: caching }))
    deployment.services.engagement.replyWith(() => Response.json({ ok: true }, { headers: caching }))
    expect(await cached('/api/event/data')).toBe('public, max-age=5')
    expect(await cached('/api/event/data', { headers: { 'x-admin-token': TOKENS.owner } })).toBe('no-store')
    expect(await cached('/api/event/user/U1')).toBe('no-store')
    expect(await cached('/api/event/auth/role', { headers: { 'x-admin-token': TOKENS.owner } })).toBe(
      'no-store',
    )
    deployment.services.map.replyWith(() => Response.json({ error: 'x' }, { status: 503, headers: caching }))
    expect(await cached('/api/event/data')).toBe('no-store')
    deployment.services.map.replyWith(
      () => new Response(null, { status: 304, headers: { etag: '"e"', ...caching } }),
    )
    const unchanged = await deployment.gateway.call('/api/event/data', {
      headers: { 'if-none-match': '"e"' },
    })
    expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([
      304,
      '"e"',
      '',
    ])
    expect(deployment.services.map.calls.at(-1)?.headers.get('if-none-match')).toBe('"e"')
  })
})

group('the brand', () => {
  test('renames the prefix and the tokens, and the old prefix is 404', async () => {
    const env = {
      EVENT_BRAND: 'baishatun',
      BAISHATUN_ADMIN_TOKEN: 'admin-token-of-another-brand-1',
      EVENT_ADMIN_TOKEN: 'not-used-any-more-0123456789',
    }
    const other = await deployment.addGateway({ env })
    const role = (token: string) =>
      other.call('/api/baishatun/auth/role', { headers: { 'x-admin-token': token } })
    expect((await other.call('/api/baishatun/checkin', json({ userId: 'brand' }))).status).toBe(200)
    expect((await other.call('/api/event/checkin', json({ userId: 'brand' }))).status).toBe(404)
    expect((await role('admin-token-of-another-brand-1')).status).toBe(200)
    expect((await role('not-used-any-more-0123456789')).status).toBe(401)
  })
})

group('behind a proxy', () => {
  test('plain HTTP is served only to trusted peers that were called over HTTPS', async () => {
    const trusting = await deployment.addGateway({ env: { TRUST_PROXY: '127.0.0.0/8' } })
    const strict = await deployment.addGateway({ env: { TRUST_PROXY: '10.0.0.0/8' } })
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }
    expect(trusting.url).toStartWith('http://')
    expect((await trusting.call('/api/event/data', { headers: https })).status).toBe(200)
    expect(deployment.services.map.calls.at(-1)?.headers.get('x-internal-client')).toBe('203.0.113.9')
    for (const path of ['/api/event/data', '/health']) {
      expect((await trusting.call(path)).status).toBe(403)
      expect((await strict.call(path, { headers: https })).status).toBe(403)
    }
    expect((await strict.call('/nothing', { headers: https })).status).toBe(404)
  })
})
