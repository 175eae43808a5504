import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { apiError, Bucket, KEYS, openS3 } from '../../test/s3-server.ts'

let s3: Awaited<ReturnType<typeof openS3>>
beforeAll(async () => {
  s3 = await openS3()
})
afterAll(() => s3.close())

describe('errors have S3’s format', () => {
  test('missing objects and buckets', async () => {
    expect(await apiError(s3.get('missing'))).toEqual(['NoSuchKey', 404])
    expect((await apiError(s3.client.send(new HeadObjectCommand({ Bucket, Key: 'missing' }))))?.[1]).toBe(404)
    expect(await apiError(s3.client.send(new GetObjectCommand({ Bucket: 'none', Key: 'x' })))).toEqual([
      'NoSuchBucket',
      404,
    ])
    expect((await apiError(s3.client.send(new HeadBucketCommand({ Bucket: 'none' }))))?.[1]).toBe(404)
    expect(
      await apiError(s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'missing' }))),
    ).toBeUndefined()
  })

  test('a new bucket exists at once, creating it again is accepted; an invalid name is refused', async () => {
    await s3.client.send(new CreateBucketCommand({ Bucket: 'second' }))
    await s3.client.send(new CreateBucketCommand({ Bucket: 'second' }))
    expect(await apiError(s3.client.send(new HeadBucketCommand({ Bucket: 'second' })))).toBeUndefined()
    expect(await apiError(s3.client.send(new CreateBucketCommand({ Bucket: 'No_Bucket' })))).toEqual([
      'InvalidBucketName',
      400,
    ])
  })

  test('wrong checksums and hashes are refused, and the stored object stays', async () => {
    await s3.put('checked', 'before')
    const sums = [
      { ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' },
      { ChecksumCRC32: 'AAAAAA==' },
      { ChecksumCRC32C: 'AAAAAA==' },
      { ChecksumCRC64NVME: 'AAAAAAAAAAA=' },
      { ChecksumSHA1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
      { ChecksumSHA256: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    ]
    for (const sum of sums) {
      const work = s3.client.send(new PutObjectCommand({ Bucket, Key: 'checked', Body: 'after', ...sum }))
      expect(await apiError(work)).toEqual(['BadDigest', 400])
    }
    expect((await s3.get('checked')).bytes.toString()).toBe('before')
  })

  test.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const)(
    "the client's own %s is accepted",
    async (ChecksumAlgorithm) => {
      await s3.client.send(
        new PutObjectCommand({ Bucket, Key: 'checked', Body: ChecksumAlgorithm, ChecksumAlgorithm }),
      )
      expect((await s3.get('checked')).bytes.toString()).toBe(ChecksumAlgorithm)
    },
  )

  test('wrong keys are refused with their own code', async () => {
    const read = (keys: typeof KEYS) =>
      apiError(s3.clientOf(keys).send(new GetObjectCommand({ Bucket, Key: 'letters' })))
    expect(await read({ ...KEYS, secretAccessKey: 'guess' })).toEqual(['SignatureDoesNotMatch', 403])
    expect(await read({ ...KEYS, accessKeyId: 'guess' })).toEqual(['InvalidAccessKeyId', 403])
  })
})

describe('over plain HTTP', () => {
  test('health needs no key; everything else without one is AccessDenied', async () => {
    expect((await fetch(`${s3.server.endpoint}/-/health`)).status).toBe(200)
    for (const path of ['/', `/${Bucket}`, `/${Bucket}/letters`, `/${Bucket}?list-type=2`]) {
      const answer = await fetch(`${s3.server.endpoint}${path}`)
      expect([path, answer.status, (await answer.text()).includes('<Code>AccessDenied</Code>')]).toEqual([
        path,
        403,
        true,
      ])
    }
    const written = await fetch(`${s3.server.endpoint}/${Bucket}/anonymous`, { method: 'PUT', body: 'x' })
    expect(written.status).toBe(403)
  })

  test('a presigned URL of another client puts and gets, and does neither for another key or method', async () => {
    const key = 'presigned/with space+香.txt'
    const upload = s3.bun.presign(key, { method: 'PUT', expiresIn: 60 })
    expect((await fetch(upload, { method: 'PUT', body: 'by link' })).status).toBe(200)
    const link = s3.bun.presign(key, { expiresIn: 60 })
    expect(await (await fetch(link)).text()).toBe('by link')
    expect((await fetch(link, { method: 'PUT', body: 'no' })).status).toBe(403)
    expect((await fetch(link.replace('presigned/', 'presigned-'))).status).toBe(403)
  })

  test('an unsupported sub-resource is 501, never taken for the object itself', async () => {
    const parts = s3.bun.file('multi-part').writer({ partSize: 5 * 1024 * 1024, retry: 0 })
    const large = async () => {
      for (let part = 0; part < 3; part++) parts.write(Buffer.alloc(5 * 1024 * 1024))
      await parts.end()
    }
    await expect(large()).rejects.toThrow()
    expect(await apiError(s3.get('multi-part'))).toEqual(['NoSuchKey', 404])
  })

  test('a body over the limit is refused by its announced length', async () => {
    const link = s3.bun.presign('huge', { method: 'PUT', expiresIn: 60 })
    const answer = await fetch(link, { method: 'PUT', body: Buffer.alloc(69 * 1024 * 1024) })
    expect([answer.status, (await answer.text()).includes('EntityTooLarge')]).toEqual([400, true])
  })
})
