import { expect, test } from 'bun:test'
import { createMetrics } from '@palanquin/service/metrics'
import { RequestMetrics } from '@palanquin/service/request-metrics'
import { internalRoutes } from './internal-port.ts'

const metrics = new RequestMetrics(createMetrics('gateway'))

test('the internal port answers probes, and no other method', async () => {
  for (const ok of [true, false]) {
    const routes = internalRoutes({ metrics, readiness: async () => ({ ok, service: 'gateway', parts: {} }) })
    for (const [path, answer] of Object.entries(routes)) {
      const expected = path === '/ready' || path === '/health' ? (ok ? 200 : 503) : 200
      const statusOf = async (method: string) =>
        (await answer(new Request(`http://a${path}`, { method }))).status
      expect([path, await statusOf('GET'), await statusOf('HEAD')]).toEqual([path, expected, expected])
      expect([path, await statusOf('OPTIONS'), await statusOf('POST')]).toEqual([path, 405, 405])
    }
  }
})
