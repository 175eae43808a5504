import type { Content, Operation } from './openapi.ts'
import { isObject } from './openapi.ts'
import { undescribed } from './schemas.ts'

/** A received response. */
export type Arrived = { status: number; headers: Headers; bytes: Uint8Array }

/** Headers that clients use; others belong to HTTP itself, to CORS, or to security. */
const CHECKED_HEADERS = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Allow',
  'ETag',
  'Vary',
  'Location',
  'Content-Disposition',
  'Content-Language',
  'Last-Modified',
  'Set-Cookie',
]
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47]

/** What is wrong with a response by the document; null when nothing is. */
export function complaint({ responses }: Operation, { status, headers, bytes }: Arrived): string | null {
  const described = responses[String(status)]
  if (!described) return `${status} is not in the document: ${textOf(bytes).slice(0, 300)}`
  const names = Object.keys(described.headers ?? {}).map((name) => name.toLowerCase())
  for (const name of CHECKED_HEADERS)
    if (headers.has(name) && !names.includes(name.toLowerCase()))
      return `${status} came with ${name}, which is not in the document`
  for (const [name, { required, schema }] of Object.entries(described.headers ?? {})) {
    const value = headers.get(name)
    if (value === null && required) return `${status} came without ${name}`
    const wrong = value === null ? null : undescribed(asNumber(value, schema), schema)
    if (wrong) return `${status} came with ${name}: ${value}, which breaks its schema: ${wrong}`
  }
  return complaintOfBody(described.content, { status, headers, bytes })
}

function complaintOfBody(content: Content | undefined, { status, headers, bytes }: Arrived): string | null {
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (bytes.length === 0) return null
  const media = content?.[type]
  if (!media) return `${status} came as ${type || 'nothing'}, which is not in the document`
  const text = textOf(bytes)
  const broken = brokenBody(type, { text, bytes, schema: media.schema })
  return broken && `${status} breaks its schema: ${broken} in ${text.slice(0, 400)}`
}

function brokenBody(
  type: string,
  { text, bytes, schema }: { text: string; bytes: Uint8Array; schema: unknown },
): string | null {
  if (schema === undefined) return 'there is none'
  if (type.endsWith('json')) return undescribed(JSON.parse(text), schema)
  if (type === 'image/png') return PNG_SIGNATURE.every((byte, at) => bytes[at] === byte) ? null : 'no PNG'
  if (type !== 'text/event-stream') return undescribed(text, schema)
  if (!isObject(schema) || !('x-event-data' in schema)) return 'nothing is said of its events'
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
    const broken = undescribed(JSON.parse(data), schema['x-event-data'])
    if (broken) return broken
  }
  return null
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const asNumber = (value: string, schema: unknown): unknown =>
  isObject(schema) && schema.type === 'integer' ? Number(value) : value
