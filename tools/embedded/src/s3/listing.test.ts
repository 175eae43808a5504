import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { Bucket, openS3 } from '../../test/s3-server.ts'

let s3: Awaited<ReturnType<typeof openS3>>
beforeAll(async () => {
  s3 = await openS3()
})
afterAll(() => s3.close())

test('listings page, group and start as requested, and many objects are deleted at once', async () => {
  const keys = ['2026/a.png', '2026/b.png', '2026/may/1.png', '2026/may/2.png', 'zebra <&>']
  for (const key of keys) await s3.put(`list/${key}`)
  const list = async (more: object) => {
    const {
      Contents = [],
      CommonPrefixes = [],
      ...rest
    } = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', ...more }))
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
  const { Deleted } = await s3.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect(Deleted).toEqual(Objects)
  expect(await list({})).toMatchObject({ keys: [], KeyCount: 0 })
})
