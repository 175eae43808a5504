import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { connectObjects, type Objects } from './objects.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const folder = mkdtempSync(join(tmpdir(), 'palanquin-objects-'))
let s3: TestS3
beforeAll(async () => {
  s3 = await testS3()
})
afterAll(async () => {
  await s3.close()
  rmSync(folder, { recursive: true })
})

const some = (size: number) => crypto.getRandomValues(new Uint8Array(size))
const bytesOf = async (objects: Objects, key: string) => Buffer.from((await objects.get(key)) ?? [])

describe.each(['a folder', 'an S3'])('%s', (kind) => {
  let objects: Objects
  beforeAll(async () => {
    objects = connectObjects(kind === 'an S3' ? s3.access : { folder })
    await objects.make()
    await objects.make()
    await objects.ping()
  })
  afterAll(() => objects.close())
  const listed = async (prefix: string) => (await Array.fromAsync(objects.list(prefix))).flat()

  test('returns an object byte for byte, the new one where one was replaced, and null for an unknown key', async () => {
    const bytes = some(60_000)
    await objects.put('a/b/one.png', some(5))
    await objects.put('a/b/one.png', bytes)
    expect(await bytesOf(objects, 'a/b/one.png')).toEqual(Buffer.from(bytes))
    expect(await objects.get('a/none.png')).toBeNull()
    expect(await objects.get('nowhere/none.png')).toBeNull()
  })

  test('does not read an object above the limit of its reader', async () => {
    await objects.put('large.png', some(5_000))
    await expect(objects.get('large.png', { bytesMax: 4_999 })).rejects.toBeInstanceOf(StoreUnavailable)
    expect((await objects.get('large.png', { bytesMax: 5_000 }))?.byteLength).toBe(5_000)
  })

  test('lists all keys of a prefix and no others, and removes exactly the given ones', async () => {
    const keys = Array.from({ length: 5 }, (_, index) => `list/${index}.png`)
    for (const key of [...keys, 'listen.png']) await objects.put(key, some(10))
    expect((await listed('list/')).map(({ key }) => key)).toEqual(keys)
    const [first] = await listed('list/')
    expect(first?.bytes).toBe(10)
    expect(Math.abs(Date.now() - (first?.modifiedAtMs ?? 0))).toBeLessThan(60_000)
    await objects.remove([...keys.slice(0, 3), 'list/never.png', 'never/never.png'])
    expect((await listed('list/')).map(({ key }) => key)).toEqual(keys.slice(3))
    await objects.remove(keys)
    expect(await listed('list/')).toEqual([])
    expect((await listed('')).map(({ key }) => key)).toContain('listen.png')
  })

  test('lists more than a page, and removes it', async () => {
    const keys = Array.from({ length: 1_001 }, (_, index) => `many/${String(index).padStart(4, '0')}.png`)
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map((key) => objects.put(key, some(1))))
    expect((await listed('many/')).map(({ key }) => key)).toEqual(keys)
    await objects.remove(keys)
    expect(await listed('many/')).toEqual([])
  })

  test('stores what comes at once into folders that become empty meanwhile', async () => {
    const rounds = Array.from({ length: 40 }, async (_, index) => {
      const key = `shared/${index}.png`
      await objects.put(key, some(3))
      expect((await objects.get(key))?.byteLength).toBe(3)
      await objects.remove([key])
    })
    await Promise.all(rounds)
    expect(await listed('shared/')).toEqual([])
  })
})

test('an S3 that is away or refuses is StoreUnavailable, never a missing object', async () => {
  const objects = connectObjects(s3.access)
  await objects.put('here.png', some(3))
  const elsewhere = connectObjects({ ...s3.access, bucket: 'another' })
  await expect(elsewhere.ping()).rejects.toThrow()
  await expect(elsewhere.get('here.png')).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(elsewhere.put('here.png', some(1))).rejects.toBeInstanceOf(StoreUnavailable)
  elsewhere.close()
  await s3.kill9()
  await expect(objects.get('here.png')).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(objects.remove(['here.png'])).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(Array.fromAsync(objects.list(''))).rejects.toBeInstanceOf(StoreUnavailable)
  await s3.restart()
  expect((await objects.get('here.png'))?.byteLength).toBe(3)
  objects.close()
})

test('an S3 that accepts the call and never replies is given up at the deadline', async () => {
  const objects = connectObjects(s3.access)
  s3.suspend()
  const put = objects.put('a/two.png', some(1))
  expect(await settlesBefore(put, 8_000)).toBe(true)
  await expect(put).rejects.toBeInstanceOf(StoreUnavailable)
  s3.resume()
  objects.close()
})
