import { createHttpApp } from '@palanquin/service/http/app'
import { INTERNAL_TOKEN_HEADER, TIER_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TOKEN } from './harness.ts'

/** The service's HTTP app without routes, to mount one module in. */
export const bareApp = (log: Log) =>
  createHttpApp({
    service: 'tracking',
    internalToken: TOKEN,
    log,
    metrics: createMetrics('tracking'),
    readiness: async () => ({}),
  })

/** A request as the gateway forwards it. */
export const asGateway = (path: string, init: { method?: string; body?: string } = {}) =>
  new Request(`http://tracking.internal${path}`, {
    ...init,
    headers: {
      [INTERNAL_TOKEN_HEADER]: TOKEN,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  })

/** The same from a caller of a tier. */
export const asTier = (tier: number, path: string) => {
  const request = asGateway(path)
  request.headers.set(TIER_HEADER, String(tier))
  return request
}
