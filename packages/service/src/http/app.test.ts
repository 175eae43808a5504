import { expect, describe as group, test } from 'bun:test'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { ApiError, StoreUnavailable } from './api-error.ts'
import { createHttpApp, ok } from './app.ts'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from './headers.ts'
import { describe } from './openapi.ts'
import { anySecretCheck } from './secret.ts'
import { body, text } from './standard-schema.ts'

const TOKEN = 'the-internal-token-of-this-test'
const Walk = Type.Object({ userId: Type.String({ minLength: 1 }), km: Type.Number({ minimum: 0 }) })

const routes = new Elysia()
  .post('/walk', ({ body: walk }) => ok(walk), {
    body: body(Walk),
    detail: describe({
      summary: 'walk',
      answers: { 200: { description: 'walked', data: Walk } },
      apiErrors: ['invalid'],
    }),
  })
  .get(
    '/walk/:id',
    ({ params }) => (params.id === 'known' ? ok(params) : new ApiError('notFound', 'No such walk.')),
    { params: text(Type.Object({ id: Type.String() })), detail: describe({ summary: 'read a walk' }) },
  )
  .get('/away', () => {
    throw new StoreUnavailable('database', new Error('secret-host refused'))
  })
  .get('/bug', () => {
    throw new TypeError('secret-detail')
  })

const app = createHttpApp({
  service: 'test',
  internalToken: TOKEN,
  log: createLog({ service: 'test', level: 'silent' }),
  metrics: createMetrics('test'),
  readiness: async () => ({ database: { ok: false, detail: 'away' } }),
}).use(routes)

const call = (path: string, init: RequestInit = {}, token: string | null = TOKEN) => {
  const headers = new Headers(init.headers)
  if (token !== null) headers.set(INTERNAL_TOKEN_HEADER, token)
  headers.set(REQUEST_ID_HEADER, 'r-1')
  return app.handle(new Request(`http://service.internal${path}`, { ...init, headers }))
}
const post = (content: string) =>
  call('/walk', { method: 'POST', body: content, headers: { 'content-type': 'application/json' } })

group('the internal token', () => {
  test('while it is changed, processes with the old and with the new value understand each other', async () => {
    for (const shown of [`new-one,${TOKEN}`, `${TOKEN}, new-one`])
      expect((await call('/walk/known', {}, shown)).status).toBe(200)
    for (const shown of ['new-one', 'new-one,older', `a,b,${TOKEN}`, ',', `${TOKEN}x,`])
      expect((await call('/walk/known', {}, shown)).status).toBe(401)
    const isAccepted = anySecretCheck(`new-one,${TOKEN}`)
    expect([TOKEN, 'new-one', `new-one,${TOKEN}`, 'older', '', null].map(isAccepted)).toEqual([
      ...[true, true, true],
      ...[false, false, false],
    ])
  })

  test('a call without it, or with another, is 401 on every path but the operators’', async () => {
    for (const token of [null, '', 'wrong']) {
      expect((await call('/walk/known', {}, token)).status).toBe(401)
      expect((await call('/internal/openapi', {}, token)).status).toBe(401)
      expect((await call('/metrics', {}, token)).status).toBe(200)
      expect((await call('/live', {}, token)).status).toBe(200)
    }
  })
})

group('bodies', () => {
  test('snake_case and the aliases of clients in the field are understood', async () => {
    const answer = await post('{"line_user_id": "U1", "km": 2}')
    expect(await answer.json()).toEqual({ ok: true, data: { userId: 'U1', km: 2 } })
  })

  test('what is not a JSON object is a 400 with a sentence and the request id', async () => {
    for (const content of [
      '{bad',
      '[]',
      '"text"',
      'null',
      '{"userId":"a","km":1e400}',
      '{"userId":"a\\u0000","km":1}',
    ]) {
      const answer = await post(content)
      expect(answer.status).toBe(400)
      const { error, requestId } = (await answer.json()) as { error: string; requestId: string }
      expect(error.length).toBeGreaterThan(10)
      expect(requestId).toBe('r-1')
    }
  })

  test('invalid UTF-8 is a 400', async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])
    expect((await call('/walk', { method: 'POST', body: bytes })).status).toBe(400)
  })
})

group('errors', () => {
  test('an error that a handler returns has its status and message', async () => {
    const answer = await call('/walk/other')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ error: 'No such walk.', requestId: 'r-1' })
  })

  test('a lost store is 503 with Retry-After and says nothing of its address', async () => {
    const answer = await call('/away')
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await answer.text()).not.toContain('secret-host')
  })

  test('a bug is 500 without its message', async () => {
    const answer = await call('/bug')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret-detail')
  })

  test('an unknown path is 404', async () => {
    expect((await call('/nowhere')).status).toBe(404)
  })
})

test('/ready is 503 with every part while one of them is away', async () => {
  const answer = await call('/ready')
  expect(answer.status).toBe(503)
  expect(((await answer.json()) as { parts: unknown }).parts).toEqual({
    database: { ok: false, detail: 'away' },
  })
})

test('requests are counted by route and status', async () => {
  await call('/walk/other')
  // The count follows the answer, in a later tick of the event loop.
  await Bun.sleep(1)
  const exposition = await (await call('/metrics')).text()
  expect(exposition).toMatch(/http_requests_total\{[^}]*route="\/walk\/:id"[^}]*status="404"[^}]*\} [1-9]/)
})

test('the OpenAPI part holds the described routes with the schemas that judge them', async () => {
  const part = (await (await call('/internal/openapi')).json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown; parameters?: unknown }>>
  }
  expect(Object.keys(part.paths).sort()).toEqual(['/walk', '/walk/{id}'])
  expect(JSON.stringify(part.paths['/walk']?.post?.requestBody)).toContain('"km"')
  expect(JSON.stringify(part.paths['/walk/{id}']?.get?.parameters)).toContain('"in":"path"')
})
