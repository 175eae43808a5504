import { afterEach, describe, expect, test } from 'bun:test'
import Type from 'typebox'
import { StoreUnavailable } from './http/api-error.ts'
import { serviceClient } from './service-client.ts'

const Reply = Type.Object({ count: Type.Integer() })
const CALL = { path: '/internal/things', deadlineMs: 60_000, reply: Reply } as const

const servers: Bun.Server<undefined>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})

/** A service that answers so, and a client of it. */
function serving(answer: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  servers.push(server)
  return serviceClient({ name: 'things', to: `http://127.0.0.1:${server.port}`, internalToken: 'token' })
}

test('the call arrives with its method, query, body, participant, request id and the internal token', async () => {
  const seen: unknown[] = []
  const things = serving(async (request) => {
    const { method, url, headers } = request
    const { pathname, search } = new URL(url)
    const sent = ['x-internal-token', 'x-request-id', 'x-internal-user', 'content-type']
    seen.push({
      method,
      target: pathname + search,
      headers: sent.map((name) => headers.get(name)),
      body: await request.text(),
    })
    return Response.json({ ok: true, data: { count: 1 } })
  })
  const reply = await things.call({
    ...CALL,
    method: 'POST',
    query: { a: 'b c' },
    body: { x: 1 },
    asUser: 'U1',
    requestId: 'r1',
  })
  expect(reply).toEqual({ ok: true, data: { count: 1 } })
  const body = { bytes: new TextEncoder().encode('raw'), contentType: 'image/png' }
  await things.call({ ...CALL, method: 'PUT', body, requestId: 'r2' })
  expect(seen).toEqual([
    {
      method: 'POST',
      target: '/internal/things?a=b+c',
      headers: ['token', 'r1', 'U1', 'application/json'],
      body: '{"x":1}',
    },
    { method: 'PUT', target: '/internal/things', headers: ['token', 'r2', null, 'image/png'], body: 'raw' },
  ])
})

test('a body without an envelope is the data itself, and bytes are given as they are', async () => {
  const plain = serving(() => Response.json({ count: 2 }))
  expect(await plain.call(CALL)).toEqual({ ok: true, data: { count: 2 } })
  expect(await plain.callBytes(CALL)).toEqual({ ok: true, data: new TextEncoder().encode('{"count":2}') })
})

test('a 4xx is a value with the message of the service', async () => {
  const things = serving(() => Response.json({ error: 'No such thing.', requestId: 'r' }, { status: 404 }))
  expect(await things.call(CALL)).toEqual({ ok: false, status: 404, message: 'No such thing.' })
})

test('the body of a status that the caller takes as good is the reply', async () => {
  const things = serving(() => Response.json({ count: 3 }, { status: 503 }))
  expect(await things.call({ ...CALL, alsoOk: [503] })).toEqual({ ok: true, data: { count: 3 } })
})

describe('throws StoreUnavailable', () => {
  const broken: Record<string, () => Response | Promise<Response>> = {
    'for a 500': () => Response.json({ error: 'bug' }, { status: 500 }),
    'for a 401, which is a wrong internal token': () => Response.json({ error: 'token' }, { status: 401 }),
    'for data that does not fit its schema': () => Response.json({ ok: true, data: { count: '1' } }),
    'for a body that is no JSON': () => new Response('<html>'),
    'for no answer in time': () => Promise.withResolvers<Response>().promise,
  }
  for (const [title, answer] of Object.entries(broken))
    test(title, async () => {
      const deadlineMs = title.includes('in time') ? 20 : CALL.deadlineMs
      await expect(serving(answer).call({ ...CALL, deadlineMs })).rejects.toBeInstanceOf(StoreUnavailable)
    })

  test('for a service that is away', async () => {
    const away = serviceClient({ name: 'things', to: 'unix:/nowhere/at-all.sock', internalToken: 'token' })
    await expect(away.call(CALL)).rejects.toBeInstanceOf(StoreUnavailable)
  })
})

test('one certain copy can be called, and a function that sends', async () => {
  const sent: string[] = []
  const to = async (target: string) => {
    sent.push(target)
    return Response.json({ count: 4 })
  }
  const own = serviceClient({ name: 'things', to, internalToken: 'token' })
  expect(await own.call(CALL)).toEqual({ ok: true, data: { count: 4 } })
  expect(sent).toEqual(['/internal/things'])
  const nowhere = { origin: 'http://service.internal', unix: '/nowhere/at-all.sock' }
  const copy = serviceClient({ name: 'things', to: nowhere, internalToken: 'token' })
  await expect(copy.call(CALL)).rejects.toBeInstanceOf(StoreUnavailable)
})
