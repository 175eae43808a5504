import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { apiError, Bucket, openS3 } from '../../test/s3-server.ts'

let s3: Awaited<ReturnType<typeof openS3>>
beforeAll(async () => {
  s3 = await openS3()
})
afterAll(() => s3.close())

describe('an object comes back as it was put', () => {
  test('with its type, cache rule and metadata, from GET and from HEAD', async () => {
    const Body = Buffer.from('picture')
    const Metadata = { 'user-level': '3', note: 'with, commas and = signs' }
    const headers = {
      ContentType: 'image/png',
      CacheControl: 'public, max-age=300',
      ContentDisposition: 'inline',
    }
    const { ETag } = await s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'card.png', Body, Metadata, ...headers }),
    )
    expect(ETag).toBe(`"${createHash('md5').update(Body).digest('hex')}"`)
    const found = { ...headers, Metadata, ETag, ContentLength: Body.length }
    expect(await s3.get('card.png')).toMatchObject({ ...found, bytes: Body })
    expect(await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'card.png' }))).toMatchObject(found)
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
    await s3.put(key)
    expect((await s3.get(key)).bytes.toString()).toBe(key)
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: key }))
    expect(listed.Contents?.map((object) => object.Key)).toContain(key)
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    expect(await apiError(s3.get(key))).toEqual(['NoSuchKey', 404])
  })

  test('with the blanks inside its metadata; metadata that no header can carry is refused', async () => {
    const link = s3.bun.presign('metadata', { method: 'PUT' })
    expect(
      (await fetch(link, { method: 'PUT', body: 'x', headers: { 'cache-control': 'no\u0081' } })).status,
    ).toBe(400)
    const spaced = await s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'metadata', Body: 'x', Metadata: { note: 'a  b\tc' } }),
    )
    expect(spaced.$metadata.httpStatusCode).toBe(200)
    expect((await s3.get('metadata')).Metadata).toEqual({ note: 'a  b\tc' })
  })

  test('also when it is empty, when it is large, and when it replaces another', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 'large ')
    await s3.put('object', large)
    expect((await s3.get('object')).bytes.equals(large)).toBe(true)
    await s3.put('object', Buffer.alloc(0))
    expect((await s3.get('object')).bytes).toHaveLength(0)
    await s3.put('object', 'small')
    expect((await s3.get('object')).bytes.toString()).toBe('small')
  })

  test('as a copy, with its own metadata or with new', async () => {
    await s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'a source +', Body: 'copied', Metadata: { of: 'source' } }),
    )
    const CopySource = `${Bucket}/${encodeURIComponent('a source +')}`
    await s3.client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))
    expect(await s3.get('copy')).toMatchObject({ Metadata: { of: 'source' }, bytes: Buffer.from('copied') })
    const replaced = { MetadataDirective: 'REPLACE', Metadata: { of: 'copy' } } as const
    await s3.client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource, ...replaced }))
    expect((await s3.get('copy')).Metadata).toEqual({ of: 'copy' })
  })
})

describe('conditions and ranges', () => {
  beforeAll(() => s3.put('letters', 'abcdefghij'))

  test.each([
    ['bytes=2-4', 'cde', 'bytes 2-4/10'],
    ['bytes=7-', 'hij', 'bytes 7-9/10'],
    ['bytes=-2', 'ij', 'bytes 8-9/10'],
    ['bytes=8-99', 'ij', 'bytes 8-9/10'],
    ['bytes=-99', 'abcdefghij', 'bytes 0-9/10'],
  ])('%s gives that part', async (Range, text, ContentRange) => {
    const found = await s3.get('letters', { Range })
    expect(found).toMatchObject({ ContentRange, bytes: Buffer.from(text), ContentLength: text.length })
  })

  test('a range outside is 416, and an invalid one is ignored', async () => {
    expect(await apiError(s3.get('letters', { Range: 'bytes=10-' }))).toEqual(['InvalidRange', 416])
    expect((await s3.get('letters', { Range: 'lines=1-2' })).bytes).toHaveLength(10)
  })

  test('If-None-Match, If-Match, and If-None-Match: * on PUT hold', async () => {
    const { ETag } = await s3.get('letters')
    expect((await apiError(s3.get('letters', { IfNoneMatch: ETag })))?.[1]).toBe(304)
    expect((await s3.get('letters', { IfNoneMatch: '"other"' })).bytes).toHaveLength(10)
    expect((await s3.get('letters', { IfMatch: ETag })).bytes).toHaveLength(10)
    expect((await apiError(s3.get('letters', { IfMatch: '"other"' })))?.[1]).toBe(412)
    const again = s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'letters', Body: 'x', IfNoneMatch: '*' }),
    )
    expect(await apiError(again)).toEqual(['PreconditionFailed', 412])
    const unserved = s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'letters', Body: 'x', IfMatch: ETag }),
    )
    expect(await apiError(unserved)).toEqual(['NotImplemented', 501])
    expect((await s3.get('letters')).bytes).toHaveLength(10)
  })
})
