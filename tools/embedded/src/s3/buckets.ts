import { type Answer, type Context, xml } from './answer.ts'
import { element, type Problem } from './problem.ts'
import { judgeKey, parameter } from './request.ts'

const LIST_MAX = 1000 // S3's own limit, of a page and of one DeleteObjects
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** CreateBucket; idempotent. */
export function createBucket({ request, store }: Context): Answer | Problem {
  if (!BUCKET_NAME.test(request.bucket)) return { problem: 'InvalidBucketName' }
  store.createBucket(request.bucket)
  return { status: 200, headers: { location: `/${request.bucket}` } }
}

/** DeleteObjects. */
export function deleteObjects({ request, body, store }: Context): Answer | Problem {
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

/** ListObjectsV2. */
export function listObjects({ request, store }: Context): Answer | Problem {
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

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? -1)
    return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : (named[name] ?? whole)
  })
}
