import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { until } from '@palanquin/testing/until'
import { clockAhead, whyNoWrongClock, withWrongClock } from '@palanquin/testing/wrong-clock'
import { json, startServices } from '../test/gateway.ts'
import { gatewayProcesses } from '../test/process.ts'

let redis: TestServer
let services: ReturnType<typeof startServices>
const processes = gatewayProcesses(() => ({ services, redisUrl: redis.url }))
const { spawn, start: startProcess } = processes

beforeAll(async () => {
  redis = await testRedis()
  services = startServices()
})
afterEach(() => processes.kill())
afterAll(async () => {
  await services.close()
  await redis.close()
  processes.close()
})

type Process = Awaited<ReturnType<typeof startProcess>>
let tries = 0
/**
 * The answers of thirty check-ins of a user, by turns of two processes that count together. On a busy machine Redis may be late,
 * and then each counts for itself: that is another test's, and this one tries again with another user.
 */
async function answersOf(one: Process, other: Process) {
  const isShared = async ({ metricsUrl }: Process) =>
    !(await (await fetch(metricsUrl)).text()).includes('rate_limits_local{service="gateway"} 1')
  const shared = async () => (await isShared(one)) && (await isShared(other))
  // Also where Redis was late for so short a time that they count together again by now.
  const timesAlone = () => `${one.log()}${other.log()}`.split('"limits.local"').length
  return until(
    async () => {
      const before = timesAlone()
      if (!(await shared())) return false
      const body = json({ userId: `U-${tries++}` })
      const calls = Array.from({ length: 30 }, (_, i) =>
        (i % 2 === 0 ? one : other).call('/api/event/checkin', body),
      )
      const answers = await Promise.all(calls)
      return (await shared()) && timesAlone() === before && answers
    },
    { what: 'limits that both share' },
  )
}

test('two processes together admit five check-ins of a user, and no more', async () => {
  const [a, b] = await Promise.all([startProcess('a'), startProcess('b')])
  const statuses = (await answersOf(a, b)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(25)
})

test('a gateway that is killed leaves what it counted to the next one', async () => {
  const statusesOf = async (one: Process, calls: number, userId: string) => {
    const answers = Array.from({ length: calls }, () => one.call('/api/event/checkin', json({ userId })))
    return (await Promise.all(answers)).map(({ status }) => status).toSorted()
  }
  const statuses = await until(
    async () => {
      const userId = `U-killed-${tries++}`
      const first = await startProcess(`first-${userId}`)
      const before = await statusesOf(first, 3, userId)
      first.child.kill('SIGKILL')
      await first.child.exited
      const next = await startProcess(`next-${userId}`)
      const after = await statusesOf(next, 5, userId)
      // On a busy machine Redis may be late, and then each counts for itself.
      return !`${first.log()}${next.log()}`.includes('"limits.local"') && [...before, ...after]
    },
    { what: 'limits that both share' },
  )
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
})

test.skipIf(whyNoWrongClock !== null)(
  withWrongClock('Clock of one process off by an hour: both let five check-ins of a user through together'),
  async () => {
    const [right, wrong] = await Promise.all([startProcess('right'), startProcess('wrong', clockAhead(1))])
    const answers = await answersOf(wrong, right)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(25)
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
  },
)

test('the internal port has metrics, readiness and liveness; the public one has no metrics', async () => {
  const gateway = await startProcess('metrics', { BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' })
  expect(gateway.pid).toBe(gateway.child.pid as never)
  await gateway.call('/api/event/data')
  await gateway.call('/api/event/admin/status')
  const text = await (await fetch(gateway.metricsUrl)).text()
  expect(text).toContain(
    'palanquin_http_requests_total{method="GET",route="/data",status="200",service="gateway"} 1',
  )
  expect(text).toContain(
    'palanquin_http_requests_total{method="GET",route="/admin/status",status="401",service="gateway"} 1',
  )
  expect(text).toContain(
    'palanquin_http_request_duration_seconds_count{service="gateway",method="GET",route="/data"} 1',
  )
  expect(text).toContain('palanquin_gateway_upstream_requests_in_flight{to="tracking",service="gateway"} 0')
  expect(text).toContain('process_cpu_seconds_total')
  for (const line of text.split('\n'))
    expect(line).toMatch(
      /^$|^# (HELP|TYPE) |^[a-z0-9_]+(\{([a-z]+="[^"]*",?)*\})? (-?[\d.e+-]+|NaN|[+-]Inf)$/i,
    )
  const origin = new URL(gateway.metricsUrl).origin
  expect(await (await fetch(`${origin}/live`)).json()).toEqual({ ok: true, data: { service: 'gateway' } })
  // Services and Redis have less than a second to say that they are ready.
  const state = async () => JSON.parse(await (await fetch(`${origin}/ready`)).text())
  await until(async () => (await state()).ok, { what: 'every part is ready' })
  expect((await gateway.call('/metrics')).status).toBe(404)
})

test('SIGTERM lets requests in progress finish and ends event streams, then the process exits with 0', async () => {
  const gateway = await startProcess('drain')
  const release = Promise.withResolvers<Response>()
  services.engagement.replyWith(() => release.promise)
  services.tracking.replyWith(
    () => new Response(new ReadableStream({ start: (controller) => controller.enqueue('data: x\n\n') })),
  )
  const stream = await gateway.call('/api/event/data/stream')
  const slow = gateway.call('/api/event/user/U1')
  await until(() => services.engagement.calls.length > 0, { what: 'the call is in flight' })
  gateway.child.kill('SIGTERM')
  await stream.text().catch(() => 'broken off')
  release.resolve(Response.json({ ok: true, data: 'finished' }))
  expect(await (await slow).json()).toEqual({ ok: true, data: 'finished' })
  expect(await gateway.child.exited).toBe(0)
})

test('an invalid configuration prevents the start, and all problems are printed', async () => {
  const child = spawn({
    NODE_ENV: 'production',
    EVENT_MANAGER_TOKEN: '',
    RATE_LIMITS: 'off',
    USER_AUTH: 'line',
  })
  expect(await child.exited).toBe(1)
  const said = await new Response(child.stderr).text()
  for (const words of [
    'EVENT_MANAGER_TOKEN is missing',
    'RATE_LIMITS=off is refused',
    'LINE_LOGIN_CHANNEL_ID is missing: with USER_AUTH=line',
    'PUBLIC_HOSTS',
  ])
    expect(said).toContain(words)
})

test('it starts without Redis and without any service', async () => {
  const nowhere = 'unix:/nowhere/service.sock'
  const gateway = await startProcess('alone', {
    REDIS_URL: 'redis://127.0.0.1:1',
    TRACKING_URL: nowhere,
    MAP_URL: nowhere,
    ENGAGEMENT_URL: nowhere,
    MEDIA_URL: nowhere,
    LINE_BOT_URL: nowhere,
  })
  expect((await gateway.call('/api/event/checkin', json({ userId: 'U1' }))).status).toBe(502)
  expect(await (await gateway.call('/health')).json()).toEqual({
    status: 'degraded',
    d1: 'error',
    kv: 'error',
    r2: 'error',
    last_flush: null,
    buffer_size: 0,
  })
  expect((await gateway.call('/ready')).status).toBe(503)
})
