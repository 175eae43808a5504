import { join } from 'node:path'
import { normaliseKeys, readUserId } from '@palanquin/domain/payload'
import { ALONE, type BatchedCall, readCalls, writeAnswers } from '@palanquin/service/http/batch'
import { REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import { openApiPart } from '@palanquin/service/http/openapi'
import { SessionStore } from './session-store.ts'

export type Recorded = { method: string; target: string; headers: Headers; body: string }
type Reply = (request: Request) => Response | Promise<Response>

/** A small server in place of a service: it records requests and responds as it is configured. */
export type ServiceStub = {
  url: string
  calls: Recorded[]
  /** The sessions that it stores; engagement's alone are used. */
  sessions: SessionStore
  /** How it responds from now on. */
  replyWith: (reply: Reply) => void
  /** The participants whom tracking does not know; undefined: it does not answer that. All others are known. */
  unregistered: (isUnregistered: ((userId: string) => boolean) | undefined) => void
  /** How often it was asked who is known. */
  asked: () => number
  kill: () => Promise<void>
  restart: () => void
}

const ORIGIN = 'http://service.internal'
const NO_TIMEOUT: object = { idleTimeout: 0 }

/** What a call of a batch is by itself. */
const SINGLE: Record<string, (call: BatchedCall) => Request> = {
  '/internal/checkin-batch': (call) => posted('/checkin', call),
  '/internal/sync-batch': (call) => posted('/track/sync', call),
  '/internal/device-batch': (call) => posted('/internal/device-points', call),
  '/internal/profile-batch': ({ requestId, json }) =>
    new Request(`${ORIGIN}/user/${JSON.parse(json).userId}`, { headers: { [REQUEST_ID_HEADER]: requestId } }),
}

const posted = (path: string, { requestId, json }: BatchedCall): Request =>
  new Request(ORIGIN + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [REQUEST_ID_HEADER]: requestId },
    body: json,
  })

/** As tracking judges it: whether a body names the participant that its call was counted by. */
function namesUser({ userId, json }: BatchedCall): boolean {
  if (userId === '') return true
  try {
    const outcome = normaliseKeys(JSON.parse(json))
    return 'value' in outcome && readUserId(outcome.value) === userId
  } catch {
    return false
  }
}

export function startServiceStub(folder: string, name: string): ServiceStub {
  const socket = join(folder, `${name}.sock`)
  const calls: Recorded[] = []
  const sessions = new SessionStore()
  let reply: Reply = standard
  let isUnregistered: ((userId: string) => boolean) | undefined = () => false
  let asked = 0
  const respondKnown = async (request: Request): Promise<Response> => {
    asked++
    const { userIds }: { userIds: string[] } = JSON.parse(await request.text())
    if (!isUnregistered) return new Response(null, { status: 503 })
    return Response.json({ ok: true, data: { known: userIds.map((id) => (isUnregistered?.(id) ? 0 : 1)) } })
  }
  /** As the services do: each call of a batch is recorded and answered by itself. */
  const fetchEach = async (request: Request, single: (call: BatchedCall) => Request): Promise<Response> => {
    const answers = await Promise.all(
      (readCalls(await request.text()) ?? []).map(async (call) => {
        if (!namesUser(call)) return ALONE
        const one = await fetch(single(call))
        return {
          status: one.status,
          retryAfter: one.headers.get('retry-after') ?? '',
          json: await one.text(),
          isNew: one.ok && (isUnregistered?.(call.userId) ?? false),
        }
      }),
    )
    return new Response(writeAnswers(answers))
  }
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const single = SINGLE[pathname]
    if (single) return fetchEach(request, single)
    if (pathname.startsWith('/internal/sessions')) return sessions.respond(request)
    if (pathname === '/internal/known') return respondKnown(request)
    const target = pathname + search
    if (pathname !== '/internal/openapi' && pathname !== '/ready' && pathname !== '/internal/health')
      calls.push({
        method: request.method,
        target,
        headers: request.headers,
        body: await request.clone().text(),
      })
    return reply(request)
  }
  const open = () => Bun.serve({ unix: socket, fetch, ...NO_TIMEOUT })
  let server = open()
  return {
    url: `unix:${socket}`,
    calls,
    sessions,
    replyWith: (other) => {
      reply = other
    },
    unregistered: (are) => {
      isUnregistered = are
    },
    asked: () => asked,
    kill: async () => {
      await server.stop(true)
    },
    restart: () => {
      server = open()
    },
  }
}

/** 200 to everything, and healthy. */
export function standard(request: Request): Response {
  const { pathname } = new URL(request.url)
  if (pathname === '/internal/openapi') return Response.json(openApiPart([]))
  if (pathname === '/ready')
    return Response.json({ ok: true, parts: { store: { ok: true, detail: 'secret-host:5432' } } })
  if (pathname === '/internal/health')
    return Response.json({
      d1: 'ok',
      kv: 'ok',
      r2: 'ok',
      lastFlush: '2026-05-01T15:00:00.000Z',
      bufferSize: 7,
      activity: 'active',
    })
  return Response.json({ ok: true, data: { path: pathname } })
}
