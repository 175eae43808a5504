import { expect, describe as group, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import hostile from './security-json.json'
import { stack } from './unlimited-stack.ts'

/** The placeholder of the corpus is replaced by something deeper than any file could hold. */
const DEEP = `${'['.repeat(40_000)}${']'.repeat(40_000)}`

/** Every route that reads JSON, and its callers; `%` stands for a new id. */
const READS_JSON = [
  ['POST', '/user/sync'],
  ['POST', '/user/phone'],
  ['POST', '/privacy'],
  ['POST', '/participant-status'],
  ['POST', '/submit'],
  ['POST', '/survey'],
  ['POST', '/checkin'],
  ['POST', '/track/sync'],
  ['POST', '/og-image'],
  ['POST', '/feedback'],
  ['POST', '/feedback-upload'],
  ['PATCH', '/feedback/F1', 'manager'],
  ['PUT', '/admin/status', 'owner'],
  ['POST', '/admin/roles', 'manager'],
  ['POST', '/push', 'owner'],
] as const

test.each(hostile.map(({ attack, json }) => [attack, json] as const))(
  'JSON with %s is accepted or refused, never a 500, on every route',
  async (attack, json) => {
    const filled = json.replace('@deep', DEEP)
    for (const [at, [method, path, role]] of READS_JSON.entries()) {
      const body = filled.replaceAll('%', `H${at}-${attack.replace(/\W/g, '-')}`)
      const answer = await ask(method, path, {
        body,
        headers: { 'content-type': 'application/json', ...(role ? stack.api.as(role).headers : {}) },
      })
      // 503: LINE is not configured here.
      expect([method, path, [200, 202, 400, 404, 413, 503].includes(answer.status) || answer.status]).toEqual(
        [method, path, true],
      )
      if (answer.status >= 400) expect(await answer.json()).toMatchObject({ error: expect.any(String) })
    }
  },
)

async function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { url, caFile } = stack.running()
  const base = path.startsWith('/health') || path.startsWith('/docs') ? url : stack.api.base
  return fetch(base + path, { method, ...init, tls: { ca: readFileSync(caFile, 'utf8') } })
}

test('every response has the security headers, errors too, and none that reveals our software', async () => {
  const owner = stack.api.as('owner')
  const seen = new Set<number>()
  await stack.api.post('/user/sync', { userId: 'dressed' })
  for (const [method, path, init] of [
    ['GET', '/data'],
    ['GET', '/user/dressed'],
    ['GET', '/user/unknown'],
    ['GET', '/og/unknown.png'],
    ['GET', '/survey'],
    ['GET', '/feedback'],
    ['GET', '/nothing'],
    ['DELETE', '/checkin'],
    ['OPTIONS', '/checkin'],
    ['GET', '/admin/status'],
    ['GET', '/admin/users?format=csv', owner],
    ['POST', '/checkin', { body: '{', headers: { 'content-type': 'application/json' } }],
    ['POST', '/checkin', { body: 'x'.repeat(102_401) }],
    [
      'POST',
      '/checkin',
      { body: '{"userId":"dressed","lat":24,"lng":120}', headers: { 'content-type': 'application/json' } },
    ],
    ['POST', '/webhook', { body: '{}' }],
    ['GET', '/health'],
    ['GET', '/docs'],
  ] satisfies [string, string, RequestInit?][]) {
    const { status, headers } = await ask(method, path, init)
    seen.add(status)
    expect([path, headers.get('strict-transport-security')]).toEqual([
      path,
      'max-age=31536000; includeSubDomains',
    ])
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
    expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer'])
    expect(headers.get('content-security-policy') ?? path).toContain('default-src')
    expect([path, headers.get('x-request-id')]).toEqual([path, expect.stringMatching(/^[\w-]{1,64}$/)])
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'access-control-allow-credentials'])
      expect([path, name, headers.get(name)]).toEqual([path, name, null])
    if (status >= 400 || path.startsWith('/admin') || path.startsWith('/user'))
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
  }
  expect([...seen].sort()).toEqual([200, 202, 204, 400, 401, 404, 405, 413, 503])
})

group('round the gateway', () => {
  test('every service answers a direct call 401, whatever its headers claim, and reveals only its health', async () => {
    const { services } = stack.running()
    const claims = {
      'content-type': 'application/json',
      'x-internal-tier': '3',
      'x-internal-token': 'x'.repeat(48),
    }
    for (const [name, { url }] of Object.entries(services)) {
      if (!url) continue
      expect(new URL(url).hostname).toBe('127.0.0.1')
      for (const headers of [{}, claims])
        for (const [method, path] of [
          ['GET', '/data'],
          ['GET', '/user/dressed'],
          ['POST', '/checkin'],
          ['POST', '/internal/flush'],
          ['GET', '/internal/health'],
          ['GET', '/internal/openapi'],
          ['DELETE', '/user/dressed'],
          ['GET', '/'],
        ] as const) {
          const { status } = await fetch(url + path, {
            method,
            headers,
            body: method === 'POST' ? '{}' : null,
          })
          expect([name, method, path, status]).toEqual([name, method, path, 401])
        }
    }
  })

  test('the public port serves neither metrics nor internal paths', async () => {
    const { url, caFile } = stack.running()
    for (const path of ['/metrics', '/live', '/internal/health', '/internal/flush', '/internal/openapi'])
      for (const base of [url, stack.api.base]) {
        const { status } = await fetch(base + path, { tls: { ca: readFileSync(caFile, 'utf8') } })
        expect([path, status]).toEqual([path, 404])
      }
  })
})

test('a form of another site changes nothing, whatever its content type', async () => {
  const origin = 'https://evil.example'
  const body =
    '{"userId":"victim","lat":24,"lng":120,"displayName":"x","category":"bug","message":"x","consent":true}'
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ])
    for (const path of [
      '/checkin',
      '/track/sync',
      '/user/sync',
      '/privacy',
      '/feedback',
      '/submit',
      '/og-image',
    ]) {
      const sent = new Blob([body], { type })
      const headers = type === '' ? { origin } : { origin, 'content-type': type }
      expect([type, path, (await ask('POST', path, { body: sent, headers })).status]).toEqual([
        type,
        path,
        400,
      ])
    }
  expect((await stack.api.get('/user/victim')).status).toBe(404)
})
