import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ObjectStore } from './store.ts'

const BUCKET = 'pictures'
/** A folder of its own: files written beside the store's folder would be noticed here. */
let around: string
let folder: string
let store: ObjectStore

beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), 'object-store-'))
  folder = join(around, 'one', 'two')
  mkdirSync(folder, { recursive: true })
  store = new ObjectStore(folder)
  store.createBucket(BUCKET)
})
afterEach(() => {
  store.close()
  rmSync(around, { recursive: true })
})

const put = (key: string, text = key, absent = false) =>
  store.put({ bucket: BUCKET, key }, { bytes: Buffer.from(text), headers: {}, nowMs: 0, absent })
const read = (key: string) => store.get({ bucket: BUCKET, key })?.bytes.toString()

describe('keys are data', () => {
  test('no key, however it is written, makes a file outside of the folder, or one of its name inside', async () => {
    const keys = [
      '../../escape',
      '/etc/passwd',
      'a/../../b',
      '..',
      '.',
      'bodies',
      'objects.sqlite',
      '%2e%2e%2f',
      'C:\\x',
      '名前 🔥',
    ]
    const outside = () =>
      readdirSync(around, { recursive: true })
        .filter((name) => !String(name).startsWith('one/two/'))
        .sort()
    const before = outside()
    for (const key of keys) await put(key)
    for (const key of keys) expect(read(key)).toBe(key)
    expect(outside()).toEqual(before)
    expect(readdirSync(join(folder, 'bodies')).every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true)
  })
})

describe('bodies', () => {
  test('an overwritten or deleted object leaves no body behind', async () => {
    await put('a', 'one')
    await put('a', 'two')
    await put('b')
    store.delete({ bucket: BUCKET, key: 'b' })
    expect(read('a')).toBe('two')
    expect(readdirSync(join(folder, 'bodies'))).toHaveLength(1)
  })

  test('what a crash left without a row is removed at the next start, and nothing else', async () => {
    await put('kept')
    writeFileSync(join(folder, 'bodies', 'half-written'), 'x')
    store.close()
    store = new ObjectStore(folder)
    expect(readdirSync(join(folder, 'bodies'))).toHaveLength(1)
    expect(read('kept')).toBe('kept')
  })

  test('a second server on the same folder is refused before it removes anything', async () => {
    await put('kept')
    writeFileSync(join(folder, 'bodies', 'being-written'), 'x')
    expect(() => new ObjectStore(folder)).toThrow('locked')
    expect(readdirSync(join(folder, 'bodies'))).toContain('being-written')
  })

  test('of many that put one absent key at once, one succeeds', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => put('once', `${at}`, true)))
    const won = outcomes.flatMap((stored, at) => (stored ? [`${at}`] : []))
    expect(won).toEqual([read('once') ?? 'none'])
    expect(readdirSync(join(folder, 'bodies'))).toHaveLength(1)
  })
})

/** A naive reference implementation of a listing. */
function model(keys: string[], prefix: string, delimiter: string): string[] {
  const entries = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const cut = delimiter ? key.indexOf(delimiter, prefix.length) : -1
      return cut < 0 ? key : `${key.slice(0, cut + delimiter.length)} +`
    })
  return [...new Set(entries)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

test('pages of any size, put together, list every key and common prefix once', async () => {
  const character = fc.constantFrom('a', 'b', '/', 'é', '🔥', '\uffee')
  const key = fc.string({ unit: character, minLength: 1, maxLength: 6 })
  const keys = fc.uniqueArray(key, { maxLength: 25 })
  const prefix = fc.string({ unit: character, maxLength: 2 })
  const property = fc.asyncProperty(
    keys,
    prefix,
    fc.constantFrom('', '/', 'ab'),
    fc.integer({ min: 1, max: 7 }),
    async (...drawn) => {
      const [all, start, delimiter, limit] = drawn
      for (const name of all) await put(name)
      const seen: string[] = []
      let after: string | undefined = ''
      while (after !== undefined) {
        const page = store.list({ bucket: BUCKET, prefix: start, delimiter, after, limit })
        expect(page.objects.length + page.prefixes.length).toBeLessThanOrEqual(limit)
        seen.push(
          ...page.objects.map((object) => object.key),
          ...page.prefixes.map((shared) => `${shared} +`),
        )
        after = page.next
      }
      for (const name of all) store.delete({ bucket: BUCKET, key: name })
      const bytes = (text: string) => Buffer.from(text)
      expect(seen.sort((one, other) => Buffer.compare(bytes(one), bytes(other)))).toEqual(
        model(all, start, delimiter),
      )
    },
  )
  await fc.assert(property, { seed: 20260501, numRuns: 150 })
})
