import { expect, test } from 'bun:test'
import { ALONE, readCalls, writeAnswers } from '@palanquin/service/http/batch'
import { json } from '../test/gateway.ts'
import { standard } from '../test/service-stub.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off' } })
const CLIENTS = 30
const forEachClient = <T>(one: (at: number) => T): T[] => Array.from({ length: CLIENTS }, (_, at) => one(at))
const checkin = (userId: string, spaced = false) => {
  const body = spaced ? `{\n  "userId": "${userId}"\n}` : JSON.stringify({ userId })
  return deployment.gateway.call('/api/event/checkin', {
    ...json({}, { 'x-request-id': `r-${userId}` }),
    body,
  })
}

test('batched check-ins each get their own response and request id', async () => {
  deployment.services.tracking.replyWith(async (request) => {
    const { userId } = (await request.json()) as { userId: string }
    const status = userId.endsWith('7') ? 400 : userId.endsWith('3') ? 503 : 202
    const headers: Record<string, string> = status === 503 ? { 'retry-after': '9' } : {}
    return Response.json({ userId, requestId: request.headers.get('x-request-id') }, { status, headers })
  })
  const answers = await Promise.all(forEachClient((at) => checkin(`U${at}`, at % 5 === 0)))
  for (const [at, answer] of answers.entries()) {
    const status = at % 10 === 7 ? 400 : at % 10 === 3 ? 503 : 202
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, status === 503 ? '9' : null])
    expect(answer.headers.get('x-request-id')).toBe(`r-U${at}`)
    expect(await answer.json()).toEqual({ userId: `U${at}`, requestId: `r-U${at}` })
  }
  expect(deployment.calls().map(({ target }) => target)).toEqual(forEachClient(() => '/checkin'))
})

test('a copy that does not know batches is called for each request alone', async () => {
  const older = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/checkin'
        ? standard(request)
        : new Response('{}\n', { status: 404 }),
  })
  const other = await deployment.addGateway({
    env: { RATE_LIMITS: 'off', TRACKING_URL: `http://127.0.0.1:${older.port}` },
  })
  const answers = await Promise.all(
    forEachClient((at) => other.call('/api/event/checkin', json({ userId: `U${at}` }))),
  )
  expect(answers.map(({ status }) => status)).toEqual(forEachClient(() => 200))
  await older.stop(true)
})

test('a service that is away is a 502 for each of them', async () => {
  await deployment.services.tracking.kill()
  const answers = await Promise.all(forEachClient((at) => checkin(`U${at}`)))
  expect(answers.map(({ status }) => status)).toEqual(forEachClient(() => 502))
  deployment.services.tracking.restart()
  expect((await checkin('U1')).status).toBe(200)
})

const profile = (userId: string, more = '') =>
  deployment.gateway.call(`/api/event/user/${userId}${more}`, { headers: { 'x-request-id': `r-${userId}` } })

test('batched profiles each get their own response and request id', async () => {
  deployment.services.engagement.replyWith((request) => {
    const userId = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const status = userId.endsWith('7') ? 404 : userId.endsWith('3') ? 503 : 200
    const headers: Record<string, string> = status === 503 ? { 'retry-after': '9' } : {}
    return Response.json({ userId, requestId: request.headers.get('x-request-id') }, { status, headers })
  })
  const answers = await Promise.all(forEachClient((at) => profile(`U${at}`, at % 5 === 0 ? '?lang=en' : '')))
  for (const [at, answer] of answers.entries()) {
    const status = at % 10 === 7 ? 404 : at % 10 === 3 ? 503 : 200
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, status === 503 ? '9' : null])
    expect(answer.headers.get('x-request-id')).toBe(`r-U${at}`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({ userId: `U${at}`, requestId: `r-U${at}` })
  }
  const wanted = forEachClient((at) => `/user/U${at}${at % 5 === 0 ? '?lang=en' : ''}`)
  expect(
    deployment
      .calls()
      .map(({ target }) => target)
      .sort(),
  ).toEqual(wanted.sort())
})

test('a call that cannot be batched is sent again alone', async () => {
  let alone = 0
  const slow = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/internal/profile-batch')) {
        alone++
        return standard(request)
      }
      const calls = readCalls(await request.text()) ?? []
      const answered = { status: 200, retryAfter: '', json: '{"ok":true}', isNew: false }
      return new Response(writeAnswers(calls.map((_, at) => (at % 2 === 0 ? answered : ALONE))))
    },
  })
  const other = await deployment.addGateway({
    env: { RATE_LIMITS: 'off', ENGAGEMENT_URL: `http://127.0.0.1:${slow.port}` },
  })
  const answers = await Promise.all(forEachClient((at) => other.call(`/api/event/user/U${at}`)))
  expect(answers.map(({ status }) => status)).toEqual(forEachClient(() => 200))
  expect(alone).toBeGreaterThan(0)
  expect(alone).toBeLessThan(CLIENTS)
  await slow.stop(true)
})

test('batched syncs each get their own response; one that is too long is sent alone', async () => {
  deployment.services.tracking.replyWith(async (request) => {
    const { userId, points } = (await request.json()) as { userId: string; points: unknown[] }
    return Response.json({ userId, received: points.length })
  })
  const sync = (at: number) => {
    const points = Array.from({ length: at === 3 ? 900 : at + 1 }, () => ({
      lat: 24.123456,
      lng: 120.123456,
    }))
    return deployment.gateway.call('/api/event/track/sync', json({ userId: `U${at}`, points }))
  }
  const answers = await Promise.all(forEachClient(sync))
  for (const [at, answer] of answers.entries())
    expect(await answer.json()).toEqual({ userId: `U${at}`, received: at === 3 ? 900 : at + 1 })
})

test('a lone call is a batch too; one that the service sends back is judged and answered by itself', async () => {
  const seen: string[] = []
  const alone = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const text = await request.text()
      seen.push(`${pathname} ${text}`)
      if (pathname === '/checkin') return Response.json({ error: 'lat: missing' }, { status: 400 })
      const calls = readCalls(text) ?? []
      return new Response(writeAnswers(calls.map(() => ALONE)))
    },
  })
  const other = await deployment.addGateway({
    env: { RATE_LIMITS: 'off', TRACKING_URL: `http://127.0.0.1:${alone.port}` },
  })
  const answer = await other.call('/api/event/checkin', json({ userId: 'U1' }, { 'x-request-id': 'r-1' }))
  expect(answer.status).toBe(400)
  expect(seen).toEqual(['/internal/checkin-batch r-1 U1 {"userId":"U1"}\n', '/checkin {"userId":"U1"}'])
  await alone.stop(true)
})

test('a batch whose connection breaks is sent again', async () => {
  let broken = 0
  const breaking = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket, data) => {
        if (broken++ === 0) {
          socket.end()
          return
        }
        const { length } = readCalls(data.toString().split('\r\n\r\n')[1] ?? '') ?? []
        const body = writeAnswers(
          Array.from({ length }, () => ({ status: 202, retryAfter: '', json: '{}', isNew: false })),
        )
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      },
    },
  })
  const other = await deployment.addGateway({
    env: { RATE_LIMITS: 'off', TRACKING_URL: `http://127.0.0.1:${breaking.port}` },
  })
  expect((await other.call('/api/event/checkin', json({ userId: 'again' }))).status).toBe(202)
  expect(broken).toBe(2)
  breaking.stop(true)
})
