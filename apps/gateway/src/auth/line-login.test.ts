import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { capturedLog } from '@palanquin/testing/captured-log'
import { AWAY, LineLogin } from './line-login.ts'

/** Something in LINE's place that says what LINE never would. */
let server: ReturnType<typeof Bun.serve>
let reply: () => Response | Promise<Response>
let asked: { path: string; type: string | null; body: string }[] = []
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      asked.push({ path, type: request.headers.get('content-type'), body: await request.text() })
      return reply()
    },
  })
})
afterAll(() => server.stop(true))
beforeEach(() => {
  asked = []
})
const login = (deadlineMs = 60_000) =>
  new LineLogin({ base: `${server.url.origin}/`, channelId: '165', log: capturedLog().log, deadlineMs })

test('requests have LINE’s form and our channel', async () => {
  reply = () => Response.json({ sub: 'U1' })
  expect(await login().verify('a.b+c')).toEqual({ sub: 'U1' })
  const [call] = asked
  expect(call?.path).toBe('/oauth2/v2.1/verify')
  expect(call?.type).toStartWith('application/x-www-form-urlencoded')
  expect(Object.fromEntries(new URLSearchParams(call?.body))).toEqual({ id_token: 'a.b+c', client_id: '165' })
})

test('a rejection by LINE is a verdict; any other failure is none', async () => {
  for (const status of [400, 401, 403, 404]) {
    reply = () => Response.json({ error: 'invalid_request' }, { status })
    expect(await login().verify('t')).toBeUndefined()
    expect(await login().keys()).toBe(AWAY)
  }
  for (const odd of [
    () => Response.json({}, { status: 429 }),
    () => Response.json({ sub: 'U1' }, { status: 500 }),
    () => Response.json({ sub: 'U1' }, { status: 201 }),
    () => Response.redirect('https://elsewhere.example/', 302),
    () => new Response('<html>', { status: 200 }),
    () => new Response('<html>', { status: 400 }),
  ]) {
    reply = odd
    expect(await login().verify('t')).toBe(AWAY)
    expect(await login().keys()).toBe(AWAY)
  }
})

test('a stalled request is given up after the deadline', async () => {
  reply = () => new Promise(() => {})
  expect(await login(20).verify('t')).toBe(AWAY)
})

test('at most 32 requests are in flight; the next is rejected at once, and a later one is sent', async () => {
  const release = Promise.withResolvers<void>()
  reply = async () => {
    await release.promise
    return Response.json({ sub: 'U1' })
  }
  const line = login()
  const calls = Array.from({ length: 32 }, () => line.verify('t'))
  expect(await line.verify('t')).toBe(AWAY)
  release.resolve()
  for (const said of await Promise.all(calls)) expect(said).toEqual({ sub: 'U1' })
  expect(await line.verify('t')).toEqual({ sub: 'U1' })
  expect(asked).toHaveLength(33)
})
