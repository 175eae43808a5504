import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { json, startServices } from '../../test/gateway.ts'
import { gatewayProcesses } from '../../test/process.ts'
import { requestWithoutReading } from '../../test/unread-client.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CLIENTS = 150
const MAP = new Blob([new Uint8Array(9_000_000).fill(120)])
/** A third of what the clients ask for; without a bound all of it stays. */
const GROWTH_BYTES_MAX = 450_000_000

let redis: TestServer
let services: ReturnType<typeof startServices>
const processes = gatewayProcesses(() => ({ services, redisUrl: redis.url }))
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

const residentBytes = (pid: number): number =>
  1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

test('150 clients that request maps of their own and read none take bounded memory and are dropped; others are served', async () => {
  services.map.replyWith(() => new Response(MAP))
  const gateway = await processes.start('memory', {
    RATE_LIMITS: 'off',
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
  })
  const port = Number(new URL(String(gateway.url)).port)
  const serves = async () => {
    const answers = await Promise.all([
      gateway.call('/api/event/checkin', json({ userId: 'U1' })),
      gateway.call('/api/event/user/U1'),
    ])
    return answers.map(({ status }) => status)
  }
  await serves()
  const before = residentBytes(gateway.child.pid)
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, n) => requestWithoutReading(port, `/api/event/data?bbox=${n}`)),
  )
  await until(() => services.map.calls.length >= CLIENTS, { what: 'every one is asked for' })
  let most = 0
  const metric = async (name: string) => {
    const text = await (await fetch(gateway.metricsUrl)).text()
    return Number(new RegExp(`^palanquin_gateway_${name}\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1])
  }
  await until(
    async () => {
      most = Math.max(most, residentBytes(gateway.child.pid))
      expect(await serves()).toEqual([200, 200])
      return (await metric('readers')) === 0
    },
    { what: 'they are dropped' },
  )
  expect(most - before).toBeLessThan(GROWTH_BYTES_MAX)
  expect(await metric('unread_bytes')).toBe(0)
  for (const { socket } of clients) socket.resume()
  const begun = () => clients.filter(({ received }) => received().startsWith('HTTP/1.1 200'))
  await until(() => begun().length > 0 && begun().every(({ hasEnded }) => hasEnded()), {
    what: 'their connections are closed',
  })
  expect(begun().length).toBeLessThan(CLIENTS)
})
