import { REQUEST_ID_PATTERN, UserId } from '@palanquin/domain/ids'
import { mayNameOwn, OWN } from '../paths.ts'
import type { Route } from '../route.ts'

export type Json = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** Descriptions of the path parameters. */
const PLACES: Readonly<Record<string, string>> = {
  userId: 'whose it is',
  filename: 'the name that POST /feedback-upload gave',
  id: 'the id that POST /feedback gave',
  pushId: 'the pushId that POST /push gave',
}

/** A `userId`, or the caller's own. */
const OwnOrUserId = {
  ...UserId,
  pattern: `^(?:${OWN}|[A-Za-z0-9_-]{1,64})$`,
  description: `1 to 64 letters, digits, _ or -; or ${OWN}: the caller, by their session or LIFF ID token`,
}

export function pathParameters(route: Route): Json[] {
  const { path } = route
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PLACES[name] ?? name,
    schema: name === 'userId' && mayNameOwn(route) ? OwnOrUserId : UserId,
  }))
}

/** The request headers that are read, besides tokens. */
export function headerParameters(route: Route, responses: Json): Json[] {
  const header = (name: string, description: string, required = false): Json => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  return [
    { $ref: '#/components/parameters/RequestId' },
    ...('304' in responses ? [header('If-None-Match', 'an ETag that was given before, or several')] : []),
    ...(route.stream ? [header('Last-Event-ID', 'the id of the last event that was read: as `since`')] : []),
    ...(route.path === '/webhook'
      ? [header('X-Line-Signature', 'HMAC-SHA256 of the bytes under the channel secret, base64', true)]
      : []),
  ]
}

export const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'an id of the caller, 1 to 64 letters, digits, _ or -; comes back, and stands in every log line',
  schema: { type: 'string', pattern: REQUEST_ID_PATTERN },
}

export function queryParameters({ userId }: Route, said: Json | undefined): unknown[] {
  if (Array.isArray(said?.parameters))
    return said.parameters.filter((parameter) => objectOf(parameter).in === 'query')
  return userId === 'query'
    ? [{ name: 'userId', in: 'query', required: true, description: 'whose it is', schema: UserId }]
    : []
}
