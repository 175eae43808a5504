import { readFileSync } from 'node:fs'
import { Profile } from '@palanquin/domain/participant'
import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'
import type { RunFile } from './run-state/run-file.ts'
import { brandOf, type Settings } from './settings/settings.ts'

/** Longer than any deadline of the gateway, of which the end of the activity has a minute: a request that lasts this long is lost. */
const REQUEST_TIMEOUT_MS = 90_000
/** A busy machine may answer "try again" some times. */
const REPEATS_MAX = 8
const PAUSE_S_MAX = 5
/** A busy machine stores some 5,000 new participants a second; a benchmark sends a quarter of a million. */
const FLUSH_TIMEOUT_MS = 600_000

const Count = Type.Integer({ minimum: 0 })
/** Response of `POST /track/sync`. */
export const SyncReceipt = Type.Object({
  received: Count,
  buffered: Count,
  duplicates: Count,
  filtered: Count,
  rejected: Type.Array(Type.Object({ index: Count, reason: Type.String() })),
})
/** Response of `GET /health`, which is flat. */
const Health = Type.Object({
  status: Type.String(),
  d1: Type.String(),
  kv: Type.String(),
  r2: Type.String(),
  last_flush: Type.Union([Type.String(), Type.Null()]),
  buffer_size: Type.Integer(),
})
const PublicMap = Type.Object({ total: Count })
const Flushed = Type.Object({ flushed: Type.Integer() })

export type Reply = { status: number; headers: Headers; body: unknown; tookMs: number }
type Request = {
  body?: unknown
  headers?: Record<string, string>
  timeoutMs?: number
  /** Takes the first answer, also one that asks to try again. */
  once?: boolean
}

/** The public API of a running stack, called over HTTPS at the gateway as a client would. */
export type Api = ReturnType<typeof openApi>

/** `isPatient`: a 503 that says when to try again is asked again then, as our pages do. */
export function openApi(run: RunFile, settings: Settings, { isPatient = false } = {}) {
  const base = `${run.url}/api/${brandOf(settings)}`
  const ca = readFileSync(run.caFile, 'utf8')
  const proxied: Record<string, string> = run.url.startsWith('http:') ? { 'x-forwarded-proto': 'https' } : {}

  const attempt = async (
    url: string,
    method: string,
    { body, headers = {}, timeoutMs = REQUEST_TIMEOUT_MS }: Request,
  ): Promise<Reply> => {
    const startedMs = performance.now()
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(url, {
      method,
      headers: { ...json, ...proxied, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      tls: { ca },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: parsed(text),
      tookMs: performance.now() - startedMs,
    }
  }

  const call = async (url: string, method: string, request: Request): Promise<Reply> => {
    const isRepeated = isPatient && !request.once
    for (let repeats = 0; ; repeats++) {
      const reply = await attempt(url, method, request)
      const waitS = Number(reply.headers.get('retry-after'))
      if (!isRepeated || reply.status !== 503 || !(waitS > 0) || repeats >= REPEATS_MAX) return reply
      await Bun.sleep(Math.min(waitS, PAUSE_S_MAX) * 1_000)
    }
  }

  return {
    base,
    get: (path: string, request: Request = {}) => call(base + path, 'GET', request),
    post: (path: string, body: unknown, request: Request = {}) =>
      call(base + path, 'POST', { ...request, body }),
    put: (path: string, body: unknown, request: Request = {}) =>
      call(base + path, 'PUT', { ...request, body }),
    patch: (path: string, body: unknown, request: Request = {}) =>
      call(base + path, 'PATCH', { ...request, body }),
    delete: (path: string, request: Request = {}) => call(base + path, 'DELETE', request),
    /** Headers of an administrator. */
    as: (role: keyof RunFile['tokens']) => ({ headers: { 'x-admin-token': run.tokens[role] } }),
    /** Whether every service and store is ready. */
    isReady: async () => (await call(`${run.url}/ready`, 'GET', { once: true })).status === 200,
    health: async () => expectShape(Health, (await call(`${run.url}/health`, 'GET', { once: true })).body),
    profile: async (userId: string) => dataOf(Profile, await call(`${base}/user/${userId}`, 'GET', {})),
    /** How many participants the public map shows. */
    onTheMap: async () => dataOf(PublicMap, await call(`${base}/data?format=columns`, 'GET', {})).total,
    /**
     * Flushes the buffer now, by an operator's call to tracking's own port. Returns the points stored and
     * the milliseconds. Gently: as the scheduled flush does it, for callers that can wait.
     */
    flush: async ({ gently = false }: { gently?: boolean } = {}) => {
      const tracking = run.services.tracking?.url ?? ''
      const reply = await call(`${tracking}/internal/flush`, 'POST', {
        headers: { 'x-internal-token': run.internalToken },
        body: { gently },
        timeoutMs: FLUSH_TIMEOUT_MS,
      })
      return { flushed: dataOf(Flushed, reply).flushed, tookMs: reply.tookMs }
    },
  }
}

/** The `data` of a successful response, checked by the schema. @throws Error with the response otherwise */
export function dataOf<S extends TSchema>(schema: S, { status, body }: Reply): Static<S> {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return expectShape(
    schema,
    typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined,
  )
}

function expectShape<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (Value.Check(schema, value)) return value
  throw new Error(`answered something else than expected: ${JSON.stringify(value)?.slice(0, 500)}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // an image, a page, or nothing
  }
}
