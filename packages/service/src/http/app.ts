import { Elysia } from 'elysia'
import { Counter, Histogram } from 'prom-client'
import { type Log, requestLog } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Probe } from '../probe.ts'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from './headers.ts'
import { BODY_BYTES_MAX, readJsonBody } from './json-body.ts'
import { openApiPart } from './openapi.ts'
import { Refusal, refusalResponse } from './refusal.ts'
import { anySecretCheck } from './secret.ts'

/** Paths that operators and orchestrators may call without the internal token. */
const OPEN_PATHS = new Set(['/metrics', '/ready', '/live'])
/** Asked every second by machines; in the log they would hide the rest. */
const QUIET_ROUTES = new Set([...OPEN_PATHS, '/internal/health'])
const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export type HttpShell = {
  service: string
  internalToken: string
  log: Log
  metrics: Metrics
  /** What must be well for `/ready` to be 200; the answer lists each. */
  readiness: () => Promise<Record<string, Probe>>
  /** Paths whose body is no JSON, or not always: handlers get its bytes (`bodyBytes`), at most so many of them. */
  rawBodies?: Readonly<Record<string, number>>
}

/** Success as every endpoint says it. */
export const ok = <T>(data: T): { ok: true; data: T } => ({ ok: true, data })

/**
 * The HTTP shell of a service: the internal token, JSON bodies (parsed once, keys normalised), the table of
 * errors, request log and metrics, `/live`, `/ready`, `/metrics` and its part of the OpenAPI document.
 * Rooms are mounted with `.use(room)` AFTER it. Handlers return `ok(data)`, a Response or a Refusal.
 */
export function createHttpApp({
  service,
  internalToken,
  log,
  metrics,
  readiness,
  rawBodies = {},
}: HttpShell) {
  const allowed = anySecretCheck(internalToken)
  const answered = requestLog(log)
  const started = new WeakMap<Request, number>()
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'answers by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [metrics],
  })
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'time to answer',
    labelNames: ['method', 'route'],
    buckets: LATENCY_BUCKETS_S,
    registers: [metrics],
  })
  const idOf = (request: Request) => request.headers.get(REQUEST_ID_HEADER) ?? '-'

  const app = new Elysia({ name: `http:${service}` })
    .onRequest(({ request }) => {
      started.set(request, performance.now())
      if (allowed(request.headers.get(INTERNAL_TOKEN_HEADER))) return
      if (OPEN_PATHS.has(new URL(request.url).pathname)) return
      return refusalResponse(
        new Refusal('unauthorized', 'This port is internal; call the gateway.'),
        idOf(request),
      )
    })
    .onParse({ as: 'global' }, async ({ request, contentType, path }) => {
      const rawBytesMax = rawBodies[path]
      if (rawBytesMax !== undefined) return readBytes(request, rawBytesMax)
      if (contentType === 'multipart/form-data') return
      const bytes = await readBytes(request, BODY_BYTES_MAX)
      return bytes.byteLength === 0 ? {} : readJsonBody(bytes)
    })
    .mapResponse({ as: 'global' }, ({ responseValue, request }) =>
      responseValue instanceof Refusal ? refusalResponse(responseValue, idOf(request)) : undefined,
    )
    .onError({ as: 'global' }, ({ code, error, request, route }) => {
      const requestId = idOf(request)
      const refusal = refusalOf(code, error)
      if (refusal.reason === 'bug') log.error({ err: error, requestId, route }, 'a bug answered 500')
      else if (refusal.reason === 'unavailable')
        log.warn({ requestId, route, reason: reasonOf(refusal.cause) }, 'a store is away')
      return refusalResponse(refusal, requestId)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      const tookMs = performance.now() - (started.get(request) ?? performance.now())
      const label = route ?? 'none'
      requests.inc({ method: request.method, route: label, status })
      seconds.observe({ method: request.method, route: label }, tookMs / 1000)
      const line = {
        requestId: idOf(request),
        route: label,
        method: request.method,
        status,
        ms: Math.round(tookMs * 10) / 10,
      }
      if (status >= 500) answered.warn(line, 'answered')
      else if (QUIET_ROUTES.has(label)) answered.debug(line, 'answered')
      else answered.info(line, 'answered')
    })
    .get('/live', () => ok({ service }), { detail: { hide: true } })
    .get(
      '/metrics',
      async () => new Response(await metrics.metrics(), { headers: { 'content-type': metrics.contentType } }),
      { detail: { hide: true } },
    )
    .get(
      '/ready',
      async () => {
        const parts = await readiness()
        const ready = Object.values(parts).every((part) => part.ok)
        return Response.json(
          { ok: ready, service, parts },
          { status: ready ? 200 : 503, headers: ready ? {} : { 'retry-after': '1' } },
        )
      },
      { detail: { hide: true } },
    )
  return app.get('/internal/openapi', () => Response.json(openApiPart(app.routes)), {
    detail: { hide: true },
  })
}

/** The body of a path of `rawBodies`, in its handler. */
export const bodyBytes = (body: unknown): Uint8Array<ArrayBuffer> =>
  body instanceof ArrayBuffer ? new Uint8Array(body) : new Uint8Array()

async function readBytes(request: Request, bytesMax: number): Promise<ArrayBuffer> {
  const tooLarge = () => new Refusal('tooLarge', `The body is larger than ${bytesMax} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge()
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > bytesMax) throw tooLarge()
  return bytes
}

function refusalOf(code: unknown, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof Error && error.cause instanceof Refusal) return error.cause
  if (code === 'NOT_FOUND') return new Refusal('notFound', 'There is nothing at this path.')
  if (code === 'PARSE' || code === 'VALIDATION' || code === 'INVALID_COOKIE_SIGNATURE')
    return new Refusal('invalid', 'The request does not have the expected form.')
  return new Refusal('bug', 'Something went wrong on our side. It has been logged; please try again.')
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'no answer')
