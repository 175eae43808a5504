import type { RequestMetrics } from '@palanquin/service/request-metrics'
import type { Readiness } from './health/ready.ts'

/** The internal port: what operators and orchestrators read. It is never the public one. */
export function internalRoutes({
  metrics,
  readiness,
}: {
  metrics: RequestMetrics
  readiness: () => Promise<Readiness>
}): Record<string, () => Response | Promise<Response>> {
  return {
    '/live': () => Response.json({ ok: true, data: { service: 'gateway' } }),
    '/ready': async () => {
      const state = await readiness()
      return Response.json(state, { status: state.ok ? 200 : 503 })
    },
    '/metrics': async () => {
      const { body, contentType } = await metrics.text()
      return new Response(body, { headers: { 'content-type': contentType } })
    },
  }
}
