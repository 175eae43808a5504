import { Elysia } from 'elysia'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Probe } from '../probe.ts'
import { type Accounts, requestAccounts } from './accounts.ts'
import { ApiError, errorResponse } from './api-error.ts'
import type { BatchRoute } from './batch-route.ts'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from './headers.ts'
import { BODY_BYTES_MAX, readBytes, readJsonBody } from './json-body.ts'
import { openApiPart } from './openapi.ts'
import { anySecretCheck } from './secret.ts'

/** Paths without the internal token: for operators, orchestrators and load balancers. */
const OPEN_PATHS = new Set(['/metrics', '/ready', '/live', '/health'])
const OPEN_METHODS = new Set(['GET', 'HEAD'])
/** No browser calls this port: a preflight is a wrong method like any other. */
const readOnly = new ApiError('methodNotAllowed', 'Please use GET or HEAD here.', { allow: 'GET, HEAD' })
const internalOnly = new ApiError('unauthorized', 'This port is internal; call the gateway.')

export type HttpShell = {
  service: string
  internalToken: string
  log: Log
  metrics: Metrics
  /** What must be well for `/ready` to be 200; the answer lists each. */
  readiness: () => Promise<Record<string, Probe>>
  /** Paths whose body is not JSON: handlers get its bytes (`bodyBytes`), at most so many. */
  rawBodies?: Readonly<Record<string, number>>
  batches?: readonly BatchRoute[]
  accounts?: Accounts
}

/** Success as every endpoint says it. */
export const ok = <T>(data: T): { ok: true; data: T } => ({ ok: true, data })

/** The HTTP shell of a service: token, bodies, errors, logs, metrics, probes. Routes are mounted after it. */
export function createHttpApp({
  service,
  internalToken,
  log,
  metrics,
  readiness,
  rawBodies = {},
  batches = [],
  accounts = requestAccounts({ log, metrics }),
}: HttpShell) {
  const allowed = anySecretCheck(internalToken)
  const started = new WeakMap<Request, number>()
  const batchOf = new Map(batches.map((batch) => [batch.path, batch]))
  const idOf = (request: Request) => request.headers.get(REQUEST_ID_HEADER) ?? '-'
  const ready = async () => {
    const parts = await readiness()
    const isReady = Object.values(parts).every((part) => part.ok)
    return Response.json(
      { ok: isReady, service, parts },
      { status: isReady ? 200 : 503, headers: isReady ? {} : { 'retry-after': '1' } },
    )
  }

  const app = new Elysia({ name: `http:${service}` })
    .onRequest(({ request }) => {
      if (allowed(request.headers.get(INTERNAL_TOKEN_HEADER))) {
        const batch = batchOf.get(targetOf(request))
        if (batch?.method === request.method) return batch.respond(request)
        started.set(request, performance.now())
        return
      }
      started.set(request, performance.now())
      if (!OPEN_PATHS.has(new URL(request.url).pathname)) return errorResponse(internalOnly, idOf(request))
      if (!OPEN_METHODS.has(request.method)) return errorResponse(readOnly, idOf(request))
    })
    .onParse({ as: 'global' }, async ({ request, contentType, path }) => {
      const rawBytesMax = rawBodies[path]
      if (rawBytesMax !== undefined) return readBytes(request, rawBytesMax)
      if (contentType === 'multipart/form-data') return
      const bytes = await readBytes(request, BODY_BYTES_MAX)
      return bytes.byteLength === 0 ? {} : readJsonBody(bytes)
    })
    .mapResponse({ as: 'global' }, ({ responseValue, request }) =>
      responseValue instanceof ApiError ? errorResponse(responseValue, idOf(request)) : undefined,
    )
    .onError({ as: 'global' }, ({ code, error, request, route }) => {
      const requestId = idOf(request)
      return errorResponse(accounts.apiErrorOf(error, { requestId, route, code }), requestId)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      const tookMs = performance.now() - (started.get(request) ?? performance.now())
      accounts.note({
        requestId: idOf(request),
        route: route ?? 'none',
        method: request.method,
        status,
        tookMs,
      })
    })
    .get('/live', () => ok({ service }), { detail: { hide: true } })
    .get(
      '/metrics',
      async () => {
        const { body, contentType } = await accounts.text([...app.routes, ...batches].map(named))
        return new Response(body, { headers: { 'content-type': contentType } })
      },
      { detail: { hide: true } },
    )
    .get('/ready', ready, { detail: { hide: true } })
    .get('/health', ready, { detail: { hide: true } })
  return app.get('/internal/openapi', () => Response.json(openApiPart(app.routes)), {
    detail: { hide: true },
  })
}

/** What stands behind the host of a URL; to parse it whole takes longer. */
const targetOf = ({ url }: Request): string => url.slice(url.indexOf('/', 'http://'.length))

const named = ({ method, path }: { method: string; path: string }) => ({ method, route: path })

/** The body of a path of `rawBodies`, in its handler. */
export const bodyBytes = (body: unknown): Uint8Array<ArrayBuffer> =>
  body instanceof ArrayBuffer ? new Uint8Array(body) : new Uint8Array()
