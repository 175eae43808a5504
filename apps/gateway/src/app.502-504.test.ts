import { expect, describe as group, spyOn, test } from 'bun:test'
import { createServer } from 'node:net'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'
import { testRedis } from '@palanquin/testing/redis'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { json } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'

const DEADLINE_MS = 1_000
/** For so long a copy that is about to stop is not called (upstream/copies.ts). */
const LEFT_ALONE_MS = 1_000

const deployment = useGateway({ deadlineMs: TEST_TIMEOUT_MS })

const checkin = (userId: string, gateway = deployment.gateway) =>
  gateway.call('/api/event/checkin', json({ userId }))
const LOCAL_LIMITS = 'rate_limits_local{service="gateway"} 1'
const fine = () => Response.json({ ok: true })

group('a service', () => {
  test('that is killed is a JSON 502 within the deadline, other routes go on, and it recovers by itself', async () => {
    await deployment.services.tracking.kill()
    const answer = await checkin('killed')
    expect(answer.status).toBe(502)
    expect(await answer.json()).toEqual({
      error: expect.any(String),
      requestId: answer.headers.get('x-request-id'),
    })
    expect((await deployment.gateway.call('/api/event/user/U1')).status).toBe(200)
    deployment.services.tracking.restart()
    expect((await checkin('killed')).status).toBe(200)
  })

  test('that restarts receives the calls once it is back, also writes that must not be repeated', async () => {
    const { gateway, services } = deployment
    let round = 0
    const statusesOverRestart = async () => {
      const userId = `waiting-${round++}`
      // It was not away before.
      await gateway.call('/api/event/user/U1')
      services.engagement.calls.length = 0
      await services.engagement.kill()
      const calls = [
        gateway.call('/api/event/feedback', json({ userId, category: 'bug', message: 'x' })),
        gateway.call('/api/event/privacy', json({ userId, consent: true })),
        ...Array.from({ length: 20 }, (_, n) => gateway.call(`/api/event/user/U${n}`)),
      ]
      await Bun.sleep(500)
      expect(services.engagement.calls).toEqual([])
      services.engagement.restart()
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      const written = services.engagement.calls.filter(({ target }) => target === '/feedback')
      expect(written).toHaveLength(statuses[0] === 200 ? 1 : 0)
      return statuses
    }
    // They wait for some seconds, within which a busy machine may not notice that it is back.
    await until(async () => (await statusesOverRestart()).every((status) => status === 200), {
      what: 'every call is answered by the service that is back',
    })
  })

  test('that has been away for longer delays no call: each is a 502 at once', async () => {
    const { gateway } = deployment
    await deployment.services.engagement.kill()
    expect((await gateway.call('/api/event/user/U1')).status).toBe(502) // after some seconds
    const before = process.cpuUsage()
    const startedMs = performance.now()
    for (let n = 0; n < 20; n++) expect((await gateway.call(`/api/event/user/U${n}`)).status).toBe(502)
    expect(performance.now() - startedMs).toBeLessThan(20 * 2_000)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
    deployment.services.engagement.restart()
    expect((await gateway.call('/api/event/user/U1')).status).toBe(200)
  })

  test('that hangs is a JSON 504 within the deadline, and other routes go on meanwhile', async () => {
    const release = Promise.withResolvers<Response>()
    deployment.services.engagement.replyWith(() => release.promise)
    const brisk = await deployment.addGateway({ deadlineMs: DEADLINE_MS })
    const startedMs = performance.now()
    const hung = brisk.call('/api/event/user/U1')
    let isOver = false
    void hung.finally(() => {
      isOver = true
    })
    await until(() => isOver || deployment.services.engagement.calls.length > 0, { what: 'it has arrived' })
    let tries = 0
    await until(async () => (await checkin(`meanwhile-${tries++}`, brisk)).status === 200, {
      what: 'another service answers',
    })
    const answer = await hung
    expect(answer.status).toBe(504)
    expect(await answer.json()).toHaveProperty('requestId')
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(DEADLINE_MS - 50) // and it never answers by itself
    release.resolve(fine())
    deployment.services.engagement.replyWith(fine)
  })

  test('that breaks off is called again where the call is idempotent, and is a 502 where it is not', async () => {
    const breaking = await breakingServer()
    const other = await deployment.addGateway({
      env: { TRACKING_URL: breaking.url, ENGAGEMENT_URL: breaking.url, RATE_LIMITS: 'off' },
      followsSessions: false,
    })
    const outcome = async (path: string, init?: RequestInit) => {
      breaking.seen.length = 0
      const answer = await other.call(path, init)
      return [answer.status, breaking.seen.length]
    }
    breaking.failNext(1)
    expect(await outcome('/api/event/submit', json({ userId: 'again' }))).toEqual([200, 2])
    breaking.failNext(2)
    expect(await outcome('/api/event/submit', json({ userId: 'again' }))).toEqual([502, 2])
    breaking.failNext(1)
    expect(await outcome('/api/event/privacy', json({ userId: 'again' }))).toEqual([200, 2])
    breaking.failNext(1)
    expect(await outcome('/api/event/feedback', json({ userId: 'again' }))).toEqual([502, 1])
    breaking.close()
  })

  test('that breaks off under check-ins is told the same time of their arrival again', async () => {
    const breaking = await breakingServer()
    const other = await deployment.addGateway({
      env: { TRACKING_URL: breaking.url, RATE_LIMITS: 'off' },
      followsSessions: false,
    })
    let nowMs = Date.now()
    const clock = spyOn(Date, 'now').mockImplementation(() => ++nowMs)
    breaking.failNext(1)
    await checkin('again', other)
    clock.mockRestore()
    const [first, second] = breaking.seen.map(
      (text) => new RegExp(`${ARRIVED_HEADER}: (\\d+)`).exec(text)?.[1],
    )
    expect(first).toMatch(/^\d{13}$/)
    expect(second).toBe(first)
    breaking.close()
  })

  test('that sends half a body is a 502, not half a response', async () => {
    const half = await breakingServer('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"ok":')
    const other = await deployment.addGateway({ env: { ENGAGEMENT_URL: half.url } })
    half.failNext(100)
    expect((await other.call('/api/event/privacy', json({ userId: 'half' }))).status).toBe(502)
    half.close()
  })

  test('in several copies is not called once it has announced that it stops', async () => {
    const served: number[][] = [[], []]
    const servers = served.map((mine, at) =>
      Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => {
          mine.push(performance.now())
          return Response.json({ ok: true }, { headers: at === 0 ? { connection: 'close' } : {} })
        },
      }),
    )
    const other = await deployment.addGateway({
      env: {
        ENGAGEMENT_URL: servers.map(({ port }) => `http://127.0.0.1:${port}`).join(),
        RATE_LIMITS: 'off',
      },
      followsSessions: false,
    })
    for (let i = 0; i < 10; i++)
      expect((await other.call('/api/event/privacy', json({ userId: `leaving-${i}` }))).status).toBe(200)
    const [leaving = [], staying = []] = served
    expect(leaving.length + staying.length).toBe(10)
    expect(staying.length).toBeGreaterThan(0)
    for (const [at, calledMs] of leaving.slice(1).entries())
      expect(calledMs - (leaving[at] ?? 0)).toBeGreaterThanOrEqual(LEFT_ALONE_MS)
    for (const server of servers) await server.stop(true)
  })

  test('in several copies serves while one of them is away', async () => {
    const env = { TRACKING_URL: `unix:/nowhere.sock,${deployment.services.tracking.url},http://127.0.0.1:1` }
    const other = await deployment.addGateway({ env })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => other.call('/api/event/privacy', json({ userId: `copy-${i}` }))),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const syncs = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        other.call('/api/event/track/sync', json({ userId: `copy-${i}` })),
      ),
    )
    expect(syncs.every(({ status }) => status === 200)).toBe(true)
  })
})

group('Redis', () => {
  test('away: limits are counted in this process, no request is rejected for it, and health reports it', async () => {
    const server = await testRedis()
    const other = await deployment.addGateway({ redisUrl: server.url })
    const statuses = async (count: number, userId: string) => {
      const found = []
      for (let i = 0; i < count; i++)
        found.push((await other.call('/api/event/checkin', json({ userId }))).status)
      return found
    }
    expect(await statuses(2, 'before')).toEqual([200, 200])
    await server.kill9()
    expect(await statuses(6, 'before')).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statuses(6, 'during')).toEqual([200, 200, 200, 200, 200, 429])
    expect(await (await other.call('/health')).json()).toMatchObject({ status: 'degraded', kv: 'error' })
    await server.close()
  })

  test('stalled: it costs one short wait, not one for each request', async () => {
    const proxy = await redisProxy(deployment.redis.url)
    const other = await deployment.addGateway({ redisUrl: proxy.url })
    await until(() => other.redis.isReady, { what: 'Redis is connected' })
    expect((await other.call('/api/event/checkin', json({ userId: 'stall' }))).status).toBe(200)
    // A busy machine may have been late for one of them.
    const isLocal = async () => (await other.metrics()).includes(LOCAL_LIMITS)
    await until(async () => !(await isLocal()), { what: 'Redis counts' })
    await proxy.set('stall')
    const send = spyOn(other.redis, 'send')
    for (let i = 0; i < 30; i++)
      expect((await other.call('/api/event/checkin', json({ userId: `stall-${i}` }))).status).toBe(200)
    // A request to Redis waits for its deadline; the background probe serves no request.
    expect(
      send.mock.calls.filter(([key]) => String(key).startsWith('rl:') && key !== 'rl:{limits}:probe'),
    ).toHaveLength(1)
    expect(await (await other.call('/health')).json()).toMatchObject({ kv: 'error' })
    await proxy.close()
  })
})

/** A server over TCP that resets (or half answers) so many connections after it read a request, then answers 200. */
async function breakingServer(halfAnswer = '') {
  const seen: string[] = []
  let failures = 0
  const server = createServer((socket) => {
    socket.on('error', () => {}) // the reset that we made
    socket.on('data', (bytes) => {
      const text = bytes.toString()
      if (!/^[A-Z]+ /.test(text)) return
      seen.push(text)
      if (failures-- > 0) socket.end(halfAnswer)
      else
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}',
        )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    failNext: (count: number) => {
      failures = count
    },
    close: () => server.close(),
  }
}
