import { document, element, type Problem } from './problem.ts'
import { decode, field, fieldsStarting, judgeKey, parameter, type S3Request } from './request.ts'
import type { ObjectStore, StoredObject } from './store.ts'

export type Answer = { status: number; headers?: Record<string, string>; body?: Uint8Array | string }
export type Context = { request: S3Request; body: Buffer; store: ObjectStore; nowMs: number }
type Operation = (context: Context) => Answer | Problem | Promise<Answer | Problem>

const LIST_MAX = 1000
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const KEPT_HEADERS = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
]

/** Every operation that there is, by `METHOD bucket` or `METHOD object`, with the query parameters it understands. */
export const OPERATIONS: Record<string, { run: Operation; parameters: string[] }> = {
  'PUT bucket': { run: createBucket, parameters: [] },
  'HEAD bucket': { run: () => ({ status: 200 }), parameters: [] },
  'GET bucket': {
    run: listObjects,
    parameters: [
      'list-type',
      'prefix',
      'delimiter',
      'max-keys',
      'continuation-token',
      'start-after',
      'encoding-type',
      'fetch-owner',
    ],
  },
  'POST bucket': { run: deleteObjects, parameters: ['delete'] },
  'PUT object': { run: putObject, parameters: [] },
  'GET object': { run: getObject, parameters: [] },
  'HEAD object': { run: getObject, parameters: [] },
  'DELETE object': { run: deleteObject, parameters: [] },
}

function createBucket({ request, store }: Context): Answer | Problem {
  if (!BUCKET_NAME.test(request.bucket)) return { problem: 'InvalidBucketName' }
  store.createBucket(request.bucket)
  return { status: 200, headers: { location: `/${request.bucket}` } }
}

async function putObject(context: Context): Promise<Answer | Problem> {
  const { request, body, store, nowMs } = context
  const source = field(request, 'x-amz-copy-source')
  if (source !== undefined) return await copyObject(context, source)
  const absent = request.headers.get('if-none-match') === '*'
  const stored = await store.put(request, { bytes: body, headers: keptHeaders(request), nowMs, absent })
  return stored ? { status: 200, headers: { etag: stored.etag } } : { problem: 'PreconditionFailed' }
}

async function copyObject({ request, store, nowMs }: Context, source: string): Promise<Answer | Problem> {
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decode(source) ?? '') ?? []
  if (bucket === undefined || key === undefined)
    return { problem: 'InvalidArgument', detail: 'x-amz-copy-source is bucket/key.' }
  const found = store.get({ bucket, key })
  if (!found) return { problem: 'NoSuchKey' }
  const headers =
    field(request, 'x-amz-metadata-directive') === 'REPLACE' ? keptHeaders(request) : found.object.headers
  const stored = await store.put(request, { bytes: found.bytes, headers, nowMs, absent: false })
  if (!stored) return { problem: 'PreconditionFailed' }
  return xml(
    'CopyObjectResult',
    element('ETag', stored.etag) + element('LastModified', new Date(nowMs).toISOString()),
  )
}

function getObject({ request, store }: Context): Answer | Problem {
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

function deleteObject({ request, store }: Context): Answer {
  store.delete(request)
  return { status: 204 }
}

function deleteObjects({ request, body, store }: Context): Answer | Problem {
  const text = body.toString()
  const keys = [...text.matchAll(/<Object>.*?<Key>(.*?)<\/Key>.*?<\/Object>/gs)].map(([, key = '']) =>
    unescapeXml(key),
  )
  if (parameter(request, 'delete') === undefined || keys.length === 0 || keys.length > LIST_MAX)
    return { problem: 'MalformedXML' }
  for (const key of keys) store.delete({ bucket: request.bucket, key })
  const quiet = /<Quiet>\s*true\s*<\/Quiet>/.test(text)
  return xml(
    'DeleteResult',
    quiet ? '' : keys.map((key) => `<Deleted>${element('Key', key)}</Deleted>`).join(''),
  )
}

function listObjects({ request, store }: Context): Answer | Problem {
  const read = (name: string) => parameter(request, name) ?? ''
  if (read('list-type') !== '2')
    return { problem: 'NotImplemented', detail: 'Only version 2 of the listing is here.' }
  const wanted = read('max-keys') || `${LIST_MAX}`
  if (!/^\d{1,9}$/.test(wanted)) return { problem: 'InvalidArgument', detail: 'max-keys is a whole number.' }
  const limit = Math.min(Number(wanted), LIST_MAX)
  const token = Buffer.from(read('continuation-token'), 'base64url').toString()
  const [prefix, delimiter, after] = [read('prefix'), read('delimiter'), token || read('start-after')]
  if (judgeKey(prefix) || judgeKey(delimiter) || /\0/.test(after)) return { problem: 'InvalidArgument' }
  const page = store.list({ bucket: request.bucket, prefix, delimiter, after, limit })
  const next = limit === 0 ? undefined : page.next
  const url = read('encoding-type') === 'url'
  const key = (name: string, text: string) => element(name, url ? encodeURIComponent(text) : text)
  const entries = page.objects.map(
    (object) =>
      `<Contents>${key('Key', object.key)}${element('LastModified', new Date(object.modifiedMs).toISOString())}${element('ETag', object.etag)}${element('Size', object.size)}<StorageClass>STANDARD</StorageClass></Contents>`,
  )
  return xml(
    'ListBucketResult',
    [
      element('Name', request.bucket),
      key('Prefix', prefix),
      delimiter && key('Delimiter', delimiter),
      url && element('EncodingType', 'url'),
      element('MaxKeys', limit),
      element('KeyCount', page.objects.length + page.prefixes.length),
      element('IsTruncated', next !== undefined),
      next !== undefined && element('NextContinuationToken', Buffer.from(next).toString('base64url')),
      ...entries,
      ...page.prefixes.map((shared) => `<CommonPrefixes>${key('Prefix', shared)}</CommonPrefixes>`),
    ]
      .filter(Boolean)
      .join(''),
  )
}

function keptHeaders(request: S3Request): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers.get(name)?.replace(/^aws-chunked,? */, '') // how it was sent, not what it is
    return value ? [[name, value]] : []
  })
  return Object.fromEntries([...kept, ...fieldsStarting(request, 'x-amz-meta-')])
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

/** From and to (exclusive) of one byte range; undefined for what is to be ignored, as RFC 9110, 14.2 wants. */
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

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? -1)
    return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : (named[name] ?? whole)
  })
}

function xml(root: string, content: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: document(root, content) }
}
