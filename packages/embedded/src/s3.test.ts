import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type RunningS3, startS3 } from './s3.ts'

const Bucket = 'shelf'
const KEYS = { accessKeyId: 'access-key', secretAccessKey: 'secret-key' }
let folder: string
let server: RunningS3
let client: S3Client

const start = () =>
  startS3({ dataDir: join(folder, 's3'), logFile: join(folder, 's3.log'), bucket: Bucket, ...KEYS })
const clientOf = (credentials = KEYS) =>
  new S3Client({
    endpoint: server.endpoint,
    region: server.region,
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 's3-'))
  server = await start()
  client = clientOf()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const put = (Key: string, Body: string | Uint8Array = Key) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body }))
const get = async (Key: string, more = {}) => {
  const { Body, ...rest } = await client.send(new GetObjectCommand({ Bucket, Key, ...more }))
  return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) }
}
/** Code and status with which S3 refused; undefined when it did not. */
const refusal = async (
  work: Promise<unknown>,
): Promise<[code: string, status: number | undefined] | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.name, error.$metadata.httpStatusCode]
    throw error
  }
}

describe('an object comes back as it was put', () => {
  test('with its type, cache rule and metadata, from GET and from HEAD', async () => {
    const Body = Buffer.from('picture')
    const Metadata = { 'user-level': '3', note: 'with, commas and = signs' }
    const headers = {
      ContentType: 'image/png',
      CacheControl: 'public, max-age=300',
      ContentDisposition: 'inline',
    }
    const { ETag } = await client.send(
      new PutObjectCommand({ Bucket, Key: 'card.png', Body, Metadata, ...headers }),
    )
    expect(ETag).toBe(`"${createHash('md5').update(Body).digest('hex')}"`)
    const found = { ...headers, Metadata, ETag, ContentLength: Body.length }
    expect(await get('card.png')).toMatchObject({ ...found, bytes: Body })
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: 'card.png' }))).toMatchObject(found)
  })

  test.each([
    'with spaces and  two',
    '香客/朝聖 🔥 é é',
    'plus+and&=?#;,:@$!*\'()"<>',
    'percent%2Fsigned %20 %',
    'slashes//in/a/row/',
    '../../../etc/up',
    'a/../b/./c/..',
    '/leading',
    '{braces}|[brackets]^`~\\',
    'k'.repeat(1024),
  ])('under the key %s', async (key) => {
    await put(key)
    expect((await get(key)).bytes.toString()).toBe(key)
    const listed = await client.send(new ListObjectsV2Command({ Bucket, Prefix: key }))
    expect(listed.Contents?.map((object) => object.Key)).toContain(key)
    await client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    expect(await refusal(get(key))).toEqual(['NoSuchKey', 404])
  })

  test('also when it is empty, when it is large, and when it replaces another', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 'large ')
    await put('object', large)
    expect((await get('object')).bytes.equals(large)).toBe(true)
    await put('object', Buffer.alloc(0))
    expect((await get('object')).bytes).toHaveLength(0)
    await put('object', 'small')
    expect((await get('object')).bytes.toString()).toBe('small')
  })

  test('as a copy, with its own metadata or with new', async () => {
    await client.send(
      new PutObjectCommand({ Bucket, Key: 'a source +', Body: 'copied', Metadata: { of: 'source' } }),
    )
    const CopySource = `${Bucket}/${encodeURIComponent('a source +')}`
    await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))
    expect(await get('copy')).toMatchObject({ Metadata: { of: 'source' }, bytes: Buffer.from('copied') })
    const replaced = { MetadataDirective: 'REPLACE', Metadata: { of: 'copy' } } as const
    await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource, ...replaced }))
    expect((await get('copy')).Metadata).toEqual({ of: 'copy' })
  })
})

describe('conditions and ranges', () => {
  beforeAll(() => put('letters', 'abcdefghij'))

  test.each([
    ['bytes=2-4', 'cde', 'bytes 2-4/10'],
    ['bytes=7-', 'hij', 'bytes 7-9/10'],
    ['bytes=-2', 'ij', 'bytes 8-9/10'],
    ['bytes=8-99', 'ij', 'bytes 8-9/10'],
    ['bytes=-99', 'abcdefghij', 'bytes 0-9/10'],
  ])('%s gives that part', async (Range, text, ContentRange) => {
    const found = await get('letters', { Range })
    expect(found).toMatchObject({ ContentRange, bytes: Buffer.from(text), ContentLength: text.length })
  })

  test('a range outside is 416, and one that is none is ignored', async () => {
    expect(await refusal(get('letters', { Range: 'bytes=10-' }))).toEqual(['InvalidRange', 416])
    expect((await get('letters', { Range: 'lines=1-2' })).bytes).toHaveLength(10)
  })

  test('If-None-Match, If-Match, and If-None-Match: * on PUT hold', async () => {
    const { ETag } = await get('letters')
    expect((await refusal(get('letters', { IfNoneMatch: ETag })))?.[1]).toBe(304)
    expect((await get('letters', { IfNoneMatch: '"other"' })).bytes).toHaveLength(10)
    expect((await get('letters', { IfMatch: ETag })).bytes).toHaveLength(10)
    expect((await refusal(get('letters', { IfMatch: '"other"' })))?.[1]).toBe(412)
    const again = client.send(new PutObjectCommand({ Bucket, Key: 'letters', Body: 'x', IfNoneMatch: '*' }))
    expect(await refusal(again)).toEqual(['PreconditionFailed', 412])
  })
})

describe('what is not so is said as S3 says it', () => {
  test('missing objects and buckets', async () => {
    expect(await refusal(get('missing'))).toEqual(['NoSuchKey', 404])
    expect((await refusal(client.send(new HeadObjectCommand({ Bucket, Key: 'missing' }))))?.[1]).toBe(404)
    expect(await refusal(client.send(new GetObjectCommand({ Bucket: 'none', Key: 'x' })))).toEqual([
      'NoSuchBucket',
      404,
    ])
    expect((await refusal(client.send(new HeadBucketCommand({ Bucket: 'none' }))))?.[1]).toBe(404)
    expect(await refusal(client.send(new DeleteObjectCommand({ Bucket, Key: 'missing' })))).toBeUndefined()
  })

  test('a new bucket is there at once, and a second time too; an impossible name is refused', async () => {
    await client.send(new CreateBucketCommand({ Bucket: 'second' }))
    await client.send(new CreateBucketCommand({ Bucket: 'second' }))
    expect(await refusal(client.send(new HeadBucketCommand({ Bucket: 'second' })))).toBeUndefined()
    expect(await refusal(client.send(new CreateBucketCommand({ Bucket: 'No_Bucket' })))).toEqual([
      'InvalidBucketName',
      400,
    ])
  })

  test('wrong checksums and hashes are refused, and what was there stays', async () => {
    await put('checked', 'before')
    const sums = [
      { ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' },
      { ChecksumCRC32: 'AAAAAA==' },
      { ChecksumCRC32C: 'AAAAAA==' },
      { ChecksumCRC64NVME: 'AAAAAAAAAAA=' },
      { ChecksumSHA1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
      { ChecksumSHA256: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    ]
    for (const sum of sums) {
      const work = client.send(new PutObjectCommand({ Bucket, Key: 'checked', Body: 'after', ...sum }))
      expect(await refusal(work)).toEqual(['BadDigest', 400])
    }
    expect((await get('checked')).bytes.toString()).toBe('before')
  })

  test.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const)(
    "the client's own %s is accepted",
    async (ChecksumAlgorithm) => {
      await client.send(
        new PutObjectCommand({ Bucket, Key: 'checked', Body: ChecksumAlgorithm, ChecksumAlgorithm }),
      )
      expect((await get('checked')).bytes.toString()).toBe(ChecksumAlgorithm)
    },
  )

  test('wrong keys are refused with their own code', async () => {
    const read = (keys: typeof KEYS) =>
      refusal(clientOf(keys).send(new GetObjectCommand({ Bucket, Key: 'letters' })))
    expect(await read({ ...KEYS, secretAccessKey: 'guess' })).toEqual(['SignatureDoesNotMatch', 403])
    expect(await read({ ...KEYS, accessKeyId: 'guess' })).toEqual(['InvalidAccessKeyId', 403])
  })
})

test('listings page, group and start where they are told, and many objects go at once', async () => {
  const keys = ['2026/a.png', '2026/b.png', '2026/may/1.png', '2026/may/2.png', 'zebra <&>']
  for (const key of keys) await put(`list/${key}`)
  const list = async (more: object) => {
    const {
      Contents = [],
      CommonPrefixes = [],
      ...rest
    } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', ...more }))
    return {
      ...rest,
      keys: Contents.map(({ Key }) => Key?.slice(5)),
      prefixes: CommonPrefixes.map(({ Prefix }) => Prefix?.slice(5)),
    }
  }
  expect(await list({})).toMatchObject({ keys, KeyCount: 5, IsTruncated: false })
  expect(await list({ Delimiter: '/' })).toMatchObject({ keys: ['zebra <&>'], prefixes: ['2026/'] })
  expect(await list({ StartAfter: 'list/2026/may/1.png' })).toMatchObject({ keys: keys.slice(3) })
  const first = await list({ MaxKeys: 2 })
  expect(first).toMatchObject({ keys: keys.slice(0, 2), IsTruncated: true })
  expect(await list({ ContinuationToken: first.NextContinuationToken })).toMatchObject({
    keys: keys.slice(2),
    IsTruncated: false,
  })
  const Objects = keys.map((key) => ({ Key: `list/${key}` }))
  const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect(Deleted).toEqual(Objects)
  expect(await list({})).toMatchObject({ keys: [], KeyCount: 0 })
})

describe('over plain HTTP', () => {
  test('health needs no key; everything else without one is AccessDenied', async () => {
    expect((await fetch(`${server.endpoint}/-/health`)).status).toBe(200)
    for (const path of ['/', `/${Bucket}`, `/${Bucket}/letters`, `/${Bucket}?list-type=2`]) {
      const answer = await fetch(`${server.endpoint}${path}`)
      expect([path, answer.status, (await answer.text()).includes('<Code>AccessDenied</Code>')]).toEqual([
        path,
        403,
        true,
      ])
    }
    const written = await fetch(`${server.endpoint}/${Bucket}/anonymous`, { method: 'PUT', body: 'x' })
    expect(written.status).toBe(403)
  })

  test('a presigned URL of another client puts and gets, and does neither for another key or method', async () => {
    const other = new Bun.S3Client({
      endpoint: server.endpoint,
      region: server.region,
      bucket: Bucket,
      ...KEYS,
    })
    const key = 'presigned/with space+香.txt'
    const upload = other.presign(key, { method: 'PUT', expiresIn: 60 })
    expect((await fetch(upload, { method: 'PUT', body: 'by link' })).status).toBe(200)
    const link = other.presign(key, { expiresIn: 60 })
    expect(await (await fetch(link)).text()).toBe('by link')
    expect((await fetch(link, { method: 'PUT', body: 'no' })).status).toBe(403)
    expect((await fetch(link.replace('presigned/', 'presigned-'))).status).toBe(403)
  })

  test('a sub-resource that is not served is 501, never taken for the object itself', async () => {
    const other = new Bun.S3Client({
      endpoint: server.endpoint,
      region: server.region,
      bucket: Bucket,
      ...KEYS,
    })
    const parts = other.file('multi-part').writer({ partSize: 5 * 1024 * 1024, retry: 0 })
    const large = async () => {
      for (let part = 0; part < 3; part++) parts.write(Buffer.alloc(5 * 1024 * 1024))
      await parts.end()
    }
    await expect(large()).rejects.toThrow()
    expect(await refusal(get('multi-part'))).toEqual(['NoSuchKey', 404])
  })

  test('a body over the limit is refused by its announced length', async () => {
    const other = new Bun.S3Client({
      endpoint: server.endpoint,
      region: server.region,
      bucket: Bucket,
      ...KEYS,
    })
    const link = other.presign('huge', { method: 'PUT', expiresIn: 60 })
    const answer = await fetch(link, { method: 'PUT', body: Buffer.alloc(69 * 1024 * 1024) })
    expect([answer.status, (await answer.text()).includes('EntityTooLarge')]).toEqual([400, true])
  })
})

test('every put that was acknowledged before a kill -9 is there after it, with its own bytes', async () => {
  const content = (key: string, round: number) => Buffer.alloc(20_000 + round, `${key} ${round} `)
  const acknowledged = new Map<string, number>()
  const attempted = new Map<string, number>()
  for (const round of [1, 2, 3, 4, 5]) {
    const killed = Promise.withResolvers<void>()
    const writer = async (lane: number) => {
      for (let count = 0; ; count++) {
        const key = `crash/${lane}/${count % 7}`
        attempted.set(key, round)
        const done = await put(key, content(key, round)).then(
          () => true,
          () => false,
        )
        if (!done) return
        acknowledged.set(key, round)
        if (count === 9 + lane) killed.resolve()
      }
    }
    const lanes = [1, 2, 3, 4].map(writer)
    await killed.promise
    process.kill(server.pid, 'SIGKILL')
    await Promise.all(lanes)
    server = await start()
    client = clientOf()
    for (const [key, kept] of acknowledged) {
      const { bytes } = await get(key)
      const possible = [kept, attempted.get(key) ?? kept].map((stored) => content(key, stored))
      expect(possible.some((bytesThen) => bytesThen.equals(bytes))).toBe(true)
    }
  }
  expect(acknowledged.size).toBe(28)
})
