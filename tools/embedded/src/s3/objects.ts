import { type Answer, type Context, xml } from './answer.ts'
import { element, isProblem, type Problem } from './problem.ts'
import { decode, field, fieldsStarting, type S3Request } from './request.ts'
import type { StoredObject } from './store.ts'

const KEPT_HEADERS = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
]

/** PutObject, and CopyObject, which is a put with its source in a header. */
export async function putObject(context: Context): Promise<Answer | Problem> {
  const { request, body, store, nowMs } = context
  const noneMatch = request.headers.get('if-none-match')
  if (request.headers.has('if-match') || (noneMatch ?? '*') !== '*') return { problem: 'NotImplemented' }
  const absent = noneMatch === '*'
  const source = field(request, 'x-amz-copy-source')
  if (source !== undefined) return await copyObject(context, { source, absent })
  const headers = keptHeaders(request)
  if (isProblem(headers)) return headers
  const stored = await store.put(request, { bytes: body, headers, nowMs, absent })
  return stored ? { status: 200, headers: { etag: stored.etag } } : { problem: 'PreconditionFailed' }
}

async function copyObject(
  { request, store, nowMs }: Context,
  { source, absent }: { source: string; absent: boolean },
): Promise<Answer | Problem> {
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decode(source) ?? '') ?? []
  if (bucket === undefined || key === undefined)
    return { problem: 'InvalidArgument', detail: 'x-amz-copy-source is bucket/key.' }
  const found = store.get({ bucket, key })
  if (!found) return { problem: 'NoSuchKey' }
  const replaced = field(request, 'x-amz-metadata-directive') === 'REPLACE'
  const headers = replaced ? keptHeaders(request) : found.object.headers
  if (isProblem(headers)) return headers
  const stored = await store.put(request, { bytes: found.bytes, headers, nowMs, absent })
  if (!stored) return { problem: 'PreconditionFailed' }
  return xml(
    'CopyObjectResult',
    element('ETag', stored.etag) + element('LastModified', new Date(nowMs).toISOString()),
  )
}

/** GetObject and HeadObject, with their conditions and one range. */
export function getObject({ request, store }: Context): Answer | Problem {
  const object = store.head(request)
  if (!object) return { problem: 'NoSuchKey' }
  const headers = objectHeaders(object)
  const [match, noneMatch] = [request.headers.get('if-match'), request.headers.get('if-none-match')]
  if (match !== undefined && !names(match, object.etag)) return { problem: 'PreconditionFailed' }
  if (noneMatch !== undefined && names(noneMatch, object.etag)) return { status: 304, headers }
  const range = readRange(request.headers.get('range'), object.size)
  if (range === 'outside') return { problem: 'InvalidRange' }
  const [from, to] = range ?? [0, object.size]
  headers['content-length'] = `${to - from}`
  if (range) headers['content-range'] = `bytes ${from}-${to - 1}/${object.size}`
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return { status, headers }
  const bytes = store.get(request)?.bytes.subarray(from, to)
  return bytes ? { status, headers, body: bytes } : { problem: 'NoSuchKey' }
}

/** DeleteObject; idempotent. */
export function deleteObject({ request, store }: Context): Answer {
  store.delete(request)
  return { status: 204 }
}

/** The headers stored with an object; a presigned URL can carry metadata that no header could. */
function keptHeaders(request: S3Request): Record<string, string> | Problem {
  const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers.get(name)?.replace(/^aws-chunked,? */, '') // a transfer encoding, not a property of the object
    return value ? [[name, value]] : []
  })
  const headers = [...kept, ...fieldsStarting(request, 'x-amz-meta-')]
  const fit = headers.every(
    ([name, value]) => /^[\w.~-]+$/.test(name) && /^[\t\x20-\x7e\xa0-\xff]*$/.test(value),
  )
  return fit
    ? Object.fromEntries(headers)
    : { problem: 'InvalidArgument', detail: 'Metadata is plain text of one line.' }
}

function objectHeaders(object: StoredObject): Record<string, string> {
  return {
    'content-type': 'binary/octet-stream',
    ...object.headers,
    etag: object.etag,
    'last-modified': new Date(object.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
  }
}

/** Start and end (exclusive) of one byte range; undefined for what RFC 9110, 14.2 says to ignore. */
function readRange(
  header: string | undefined,
  size: number,
): [from: number, to: number] | 'outside' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return from < to ? [from, to] : 'outside'
}

function names(condition: string, etag: string): boolean {
  return condition.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag)
}
