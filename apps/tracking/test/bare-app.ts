import { createHttpApp } from '@palanquin/service/http/app'
import { INTERNAL_TOKEN_HEADER, TIER_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TOKEN } from './harness.ts'

/** The HTTP shell of the service alone, to mount one room in. */
export const bareApp = (log: Log) =>
  createHttpApp({
    service: 'tracking',
    internalToken: TOKEN,
    log,
    metrics: createMetrics('tracking'),
    readiness: async () => ({}),
  })

/** A read as the gateway passes it on. */
export const asGateway = (path: string) =>
  new Request(`http://tracking.internal${path}`, { headers: { [INTERNAL_TOKEN_HEADER]: TOKEN } })

/** The same, of a caller whose token gives a tier. */
export const asTier = (tier: number, path: string) => {
  const request = asGateway(path)
  request.headers.set(TIER_HEADER, String(tier))
  return request
}
