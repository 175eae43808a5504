import { randomUUID } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { StoreUnavailable } from './http/api-error.ts'
import { anyCopy, type CopyAddress, callCopy } from './http/copies.ts'
import { ARRIVED_HEADER, INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER, USER_HEADER } from './http/headers.ts'

/** JSON; or bytes with their media type. */
type CallBody = object | { bytes: Uint8Array<ArrayBuffer>; contentType: string }

export type ServiceCall = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: `/${string}`
  query?: Record<string, string>
  body?: CallBody
  /** The participant that this service vouches for, as the gateway does. */
  asUser?: string
  /** Left out, a new one. */
  requestId?: string
  /** When this service received what it calls for (epoch ms): an erasure since then makes it void. */
  arrivedAt?: number
  deadlineMs: number
  /** Statuses besides 2xx whose body is the reply too. */
  alsoOk?: readonly number[]
}

/** What the service replied: the checked data, or its error with a message that a client may read. */
export type ServiceReply<T> = { ok: true; data: T } | { ok: false; status: number; message: string }

/** Sends one request to a service; rejects as `fetch` does. */
export type Send = (target: `/${string}`, init: RequestInit) => Promise<Response>

/** Calls another service. A 4xx is a value. @throws StoreUnavailable; the call may have taken effect */
export type ServiceClient = {
  call: <S extends TSchema>(call: ServiceCall & { reply: S }) => Promise<ServiceReply<Static<S>>>
  callBytes: (call: ServiceCall) => Promise<ServiceReply<Uint8Array<ArrayBuffer>>>
  /** The body as it comes, for one that is too large to hold; the deadline is that of its end. */
  callStream: (call: ServiceCall) => Promise<ServiceReply<ReadableStream<Uint8Array>>>
}

/** `to`: URLs as in `TRACKING_URL` (any copy is called), one certain copy, or a function that sends. */
export function serviceClient({
  name,
  to,
  internalToken,
}: {
  name: string
  to: string | CopyAddress | Send
  internalToken: string
}): ServiceClient {
  const send = sendTo(to)
  const attempt = async <T>(call: ServiceCall, read: (answer: Response) => Promise<T>) => {
    try {
      const answer = await send(targetOf(call), requestOf(call, internalToken))
      const { ok, status } = answer
      if (ok || call.alsoOk?.includes(status)) return { ok: true as const, data: await read(answer) }
      const message = String(fieldOf(await answer.json(), 'error') ?? '')
      if (status >= 500 || status === 401) throw new Error(`${name} answered ${status}: ${message}`)
      return { ok: false as const, status, message }
    } catch (error) {
      throw new StoreUnavailable(name, error)
    }
  }
  return {
    callStream: (call) =>
      attempt(call, async ({ body }) => {
        if (!body) throw new Error(`${name} answered ${call.path} without a body`)
        return body
      }),
    callBytes: (call) => attempt(call, async (answer) => new Uint8Array(await answer.arrayBuffer())),
    call: ({ reply, ...call }) =>
      attempt(call, async (answer) => {
        const body: unknown = await answer.json()
        const data = fieldOf(body, 'data') ?? body
        if (!fits(reply, data)) throw new Error(`${name} answered ${call.path} with an unknown body`)
        return data
      }),
  }
}

function sendTo(to: string | CopyAddress | Send): Send {
  if (typeof to === 'function') return to
  return typeof to === 'string' ? anyCopy(to) : (target, init) => callCopy(to, target, init)
}

function targetOf({ path, query }: ServiceCall): `/${string}` {
  return query ? `${path}?${new URLSearchParams(query)}` : path
}

function requestOf(
  { method = 'GET', body, asUser, requestId = randomUUID(), arrivedAt, deadlineMs }: ServiceCall,
  internalToken: string,
): RequestInit {
  const headers = {
    [INTERNAL_TOKEN_HEADER]: internalToken,
    [REQUEST_ID_HEADER]: requestId,
    ...(asUser === undefined ? {} : { [USER_HEADER]: asUser }),
    ...(arrivedAt === undefined ? {} : { [ARRIVED_HEADER]: String(arrivedAt) }),
  }
  const signal = AbortSignal.timeout(Math.max(0, deadlineMs))
  if (!body) return { method, headers, signal }
  return isBytes(body)
    ? { method, headers: { ...headers, 'content-type': body.contentType }, body: body.bytes, signal }
    : {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      }
}

const isBytes = (body: CallBody): body is { bytes: Uint8Array<ArrayBuffer>; contentType: string } =>
  'bytes' in body && body.bytes instanceof Uint8Array

function fieldOf(value: unknown, name: 'data' | 'error'): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const validators = new WeakMap<TSchema, Validator>()

/** A schema is compiled once. */
function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator.Check(value)
}
