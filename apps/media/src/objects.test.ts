import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { s3Variables } from '../test/stores.ts'
import { connectObjects, type Objects } from './objects.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let s3: TestS3
let objects: Objects
const open = (changed: Record<string, string> = {}) => connectObjects(s3Variables(s3, changed))
beforeAll(async () => {
  s3 = await testS3()
  objects = open()
})
afterAll(async () => {
  objects.close()
  await s3.close()
})

const png = { contentType: 'image/png' }
const some = (size: number) => crypto.getRandomValues(new Uint8Array(size))

test('an object is returned byte for byte with its type; an unknown key is null', async () => {
  const bytes = some(60_000)
  await objects.put('a/one.png', bytes, { ...png, cacheControl: 'public, max-age=300' })
  const found = await objects.get('a/one.png')
  expect(found?.bytes).toEqual(bytes)
  expect(found?.contentType).toBe('image/png')
  expect(await objects.get('a/none.png')).toBeNull()
})

test('an object above the limit of the reader is not read', async () => {
  await objects.put('large.png', some(5_000), png)
  await expect(objects.get('large.png', { bytesMax: 4_999 })).rejects.toBeInstanceOf(StoreUnavailable)
  expect((await objects.get('large.png', { bytesMax: 5_000 }))?.bytes.byteLength).toBe(5_000)
})

test('a list has all keys of a prefix and no others, and remove deletes exactly the given keys', async () => {
  const keys = Array.from({ length: 5 }, (_, index) => `list/${index}.png`)
  for (const key of [...keys, 'listen.png']) await objects.put(key, some(10), png)
  const listed = async () => (await Array.fromAsync(objects.list('list/'))).flat()
  expect((await listed()).map(({ key }) => key)).toEqual(keys)
  expect(Math.abs(Date.now() - ((await listed())[0]?.modifiedAtMs ?? 0))).toBeLessThan(60_000)
  await objects.remove([...keys.slice(0, 3), 'list/never.png'])
  expect((await listed()).map(({ key }) => key)).toEqual(keys.slice(3))
  expect((await objects.get('listen.png'))?.bytes.byteLength).toBe(10)
})

test('a store that is away or rejects the keys is StoreUnavailable, never a missing object', async () => {
  const shut = open({ S3_SECRET_ACCESS_KEY: 'wrong' })
  const elsewhere = open({ S3_BUCKET: 'another' })
  for (const lost of [shut, elsewhere]) {
    await expect(lost.get('a/one.png')).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(lost.put('a/one.png', some(1), png)).rejects.toBeInstanceOf(StoreUnavailable)
    lost.close()
  }
  await s3.kill9()
  await expect(objects.get('a/one.png')).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(objects.remove(['a/one.png'])).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(Array.fromAsync(objects.list(''))).rejects.toBeInstanceOf(StoreUnavailable)
  await s3.restart()
  expect((await objects.get('a/one.png'))?.bytes.byteLength).toBe(60_000)
})

test('a store that accepts the call and never replies is given up at the deadline', async () => {
  s3.suspend()
  const put = objects.put('a/two.png', some(1), png)
  expect(await settlesBefore(put, 8_000)).toBe(true)
  await expect(put).rejects.toBeInstanceOf(StoreUnavailable)
  s3.resume()
})
