import { isUserId } from '@palanquin/domain/ids'
import { KEYS_PER_OBJECT_MAX, normaliseKeys, readUserId } from '@palanquin/domain/payload'
import { plainUserId } from '@palanquin/domain/payload/plain-user-id'
import { parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { decodeJson, parseJsonText } from '@palanquin/service/http/json-body'
import type { Route } from '../route.ts'

/** What the gateway reads of a request: the `userId`, the query to forward, the text of a JSON body. */
export type Content = { userId: string | undefined; query: string; json?: string }

const MINUTE_MS = 60_000
const NOTHING: Content = { userId: undefined, query: '' }
export const userIdError = new ApiError('invalid', 'userId: expected 1 to 64 letters, digits, _ or -')
const compressed = new ApiError(
  'invalid',
  'A compressed request body is not accepted; please send it as it is.',
)
const tooManyParameters = new ApiError('invalid', `query: expected at most ${KEYS_PER_OBJECT_MAX} parameters`)
const contentType = new ApiError('invalid', 'Content-Type: expected application/json')

/**
 * JSON and `userId` 400 (contract section 1): whether the body is a JSON object, of a content type that no form of
 * another site can send, and whether the `userId` is valid. The service validates the rest.
 */
export function readContent(route: Route, request: Request, bytes: ArrayBuffer): Content | ApiError {
  if (request.method === 'GET' || request.method === 'HEAD') return readQuery(route, request.url)
  if (route.body === 'none') return NOTHING
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding.toLowerCase() !== 'identity') return compressed
  const type = request.headers.get('content-type') ?? ''
  // A page of another site can send a body without a type (a Blob, with `no-cors`): only browsers send Origin.
  if (type === '' && bytes.byteLength > 0 && route.body !== 'bytes' && request.headers.has('origin'))
    return contentType
  return readJson(route, type, bytes)
}

function readJson(route: Route, type: string, bytes: ArrayBuffer): Content | ApiError {
  if (route.body === 'bytes') return NOTHING
  if (route.body === 'upload' && isForm(type)) return NOTHING
  if (route.body === 'json?' && bytes.byteLength === 0) return NOTHING
  if (bytes.byteLength > 0 && type !== '' && !isJsonType(type)) return contentType
  try {
    const json = decodeJson(bytes)
    const plain = route.userId === 'none' ? undefined : plainUserId(json)
    if (plain !== undefined) return { userId: plain, query: '', json }
    const fields = parseJsonText(json)
    // `userId` wins over its other spellings, and nearly every client uses it.
    const userId = isUserId(fields.userId) ? fields.userId : readUserId(fields)
    if (route.userId === 'none' || (route.userId === 'body?' && (userId === undefined || userId === null)))
      return NOTHING
    return isUserId(userId) ? { userId, query: '', json } : userIdError
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

export const isForm = (type: string): boolean => /^multipart\/form-data\s*;/i.test(type)

/** `application/json` or `…+json`, with any parameters. */
const isJsonType = (type: string): boolean => /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(type)

function readQuery(route: Route, url: string): Content | ApiError {
  const at = url.indexOf('?')
  if (at < 0) return route.userId === 'query' ? userIdError : NOTHING
  const [raw = ''] = url.slice(at + 1).split('#')
  if (raw.split('&', KEYS_PER_OBJECT_MAX + 1).length > KEYS_PER_OBJECT_MAX) return tooManyParameters
  const outcome = normaliseKeys(Object.fromEntries(new URLSearchParams(raw)))
  if ('problem' in outcome) return new ApiError('invalid', outcome.problem)
  const userId = readUserId(outcome.value)
  if (route.userId === 'query' && !isUserId(userId)) return userIdError
  const given = new Map(Object.entries(outcome.value ?? {}).map(([name, value]) => [name, String(value)]))
  const names = route.parameters?.filter((name) => given.has(name)) ?? [...given.keys()]
  const fields = names.map((name): [string, string] => {
    const value = given.get(name) ?? ''
    return [name, name === route.byMinute ? minuteOf(value) : value]
  })
  return {
    userId: isUserId(userId) ? userId : undefined,
    query: fields.length === 0 && route.parameters ? '' : `?${new URLSearchParams(fields)}`,
  }
}

/** What is no time is for the service to refuse. */
function minuteOf(text: string): string {
  const ms = parseInstant(text)
  return ms === null ? text : toIso(Math.floor(ms / MINUTE_MS) * MINUTE_MS)
}
