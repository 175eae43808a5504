import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER, USER_HEADER } from '@palanquin/service/http/headers'

export type ServiceCall = {
  method?: 'GET' | 'POST' | 'DELETE'
  path: `/${string}`
  query?: Record<string, string>
  /** JSON; or bytes with their media type. */
  body?: object | { bytes: Uint8Array<ArrayBuffer>; contentType: string }
  /** Whom this service vouches for, as the gateway does: somebody who spoke to it by their LINE account. */
  asUser?: string
  requestId: string
  deadlineMs: number
  /** Left out, `json` with its `data`. */
  expects?: 'json' | 'bytes'
}

/** What another service of the house answered: the `data` of a success, or why it refused, for a person to read. */
export type ServiceReply = { data: unknown } | { refused: number; sentence: string }

/**
 * Asks another service of the house.
 * @throws StoreUnavailable when it is away, late or broken: the call may have taken effect then
 */
export type ServiceClient = (call: ServiceCall) => Promise<ServiceReply>

/** `url` is `http://host:port` or `unix:/path`, several copies by comma; `name` says in errors who it is. */
export function serviceClientAt({
  name,
  url,
  internalToken,
}: {
  name: string
  url: string
  internalToken: string
}): ServiceClient {
  const ask = anyCopy(url)
  return async ({ method = 'GET', path, query = {}, body, asUser, requestId, deadlineMs, expects }) => {
    try {
      const search = new URLSearchParams(query).toString()
      const answer = await ask(search === '' ? path : `${path}?${search}`, {
        method,
        headers: {
          [INTERNAL_TOKEN_HEADER]: internalToken,
          [REQUEST_ID_HEADER]: requestId,
          ...(asUser === undefined ? {} : { [USER_HEADER]: asUser }),
          ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
        },
        ...(body === undefined ? {} : { body: 'bytes' in body ? body.bytes : JSON.stringify(body) }),
        signal: AbortSignal.timeout(deadlineMs),
      })
      if (answer.ok && expects === 'bytes') return { data: new Uint8Array(await answer.arrayBuffer()) }
      const said: unknown = await answer.json()
      if (answer.ok) return { data: fieldOf(said, 'data') }
      if (answer.status >= 500 || answer.status === 401) throw new Error(`${name} answered ${answer.status}`)
      return { refused: answer.status, sentence: String(fieldOf(said, 'error') ?? '') }
    } catch (error) {
      throw new StoreUnavailable(name, error)
    }
  }
}

const typeOf = (body: object): string =>
  'contentType' in body && typeof body.contentType === 'string' ? body.contentType : 'application/json'

function fieldOf(value: unknown, name: 'data' | 'error'): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return name in value ? Reflect.get(value, name) : undefined
}
