import { ApiError, errorResponse } from '@palanquin/service/http/api-error'
import type { RequestMetrics } from '@palanquin/service/request-metrics'
import type { Readiness } from './health/ready.ts'

type Handler = (request: Request) => Response | Promise<Response>

const wrongMethod = new ApiError('methodNotAllowed', 'Please use GET or HEAD here.', { allow: 'GET, HEAD' })

/** The internal port, for operators, orchestrators and load balancers; never the public one. */
export function internalRoutes({
  metrics,
  readiness,
}: {
  metrics: RequestMetrics
  readiness: () => Promise<Readiness>
}): Record<string, Handler> {
  const ready = async () => {
    const state = await readiness()
    return Response.json(state, { status: state.ok ? 200 : 503 })
  }
  return {
    '/live': readOnly(() => Response.json({ ok: true, data: { service: 'gateway' } })),
    '/ready': readOnly(ready),
    '/health': readOnly(ready),
    '/metrics': readOnly(async () => {
      const { body, contentType } = await metrics.text()
      return new Response(body, { headers: { 'content-type': contentType } })
    }),
  }
}

/** No browser calls this port, so OPTIONS is a wrong method like any other. */
const readOnly =
  (respond: () => Response | Promise<Response>): Handler =>
  ({ method }) =>
    method === 'GET' || method === 'HEAD' ? respond() : errorResponse(wrongMethod, '-')
