import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { sweepOld } from './folder-files.ts'
import { connectObjects, type Objects } from './objects.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const parent = mkdtempSync(join(tmpdir(), 'palanquin-folder-'))
const folder = join(parent, 'objects')
let objects: Objects
beforeEach(async () => {
  objects = connectObjects({ folder })
  await objects.make()
})
afterEach(() => {
  objects.close()
  rmSync(folder, { recursive: true, force: true })
})
afterAll(() => rmSync(parent, { recursive: true }))

const bytes = new Uint8Array([1, 2, 3])

test('an object is a file with its name, private to its owner, that anybody can copy or put back', async () => {
  await objects.put('photos/one.jpg', bytes)
  const file = join(folder, 'photos', 'one.jpg')
  expect([...readFileSync(file)]).toEqual([...bytes])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, '.drafts'))).toEqual([])
  writeFileSync(join(folder, 'photos', 'two.jpg'), 'by hand')
  expect(Buffer.from((await objects.get('photos/two.jpg')) ?? []).toString()).toBe('by hand')
})

test('the folder of the last object goes with it: its name may be of a person', async () => {
  await objects.put('cards/somebody/one.png', bytes)
  await objects.put('cards/another/one.png', bytes)
  await objects.remove(['cards/somebody/one.png'])
  expect(readdirSync(join(folder, 'cards'))).toEqual(['another'])
})

test.each([
  '../one.png',
  '/one.png',
  'a/../../one.png',
  'a//one.png',
  '.drafts/one',
  'a/.hidden',
  'a/',
  '',
  'a\0.png',
  'a\\b.png',
])('the key %j leads nowhere', async (key) => {
  writeFileSync(join(parent, 'one.png'), 'outside')
  await expect(objects.put(key, bytes)).rejects.toThrow('no key')
  await expect(objects.get(key)).rejects.toThrow('no key')
  await expect(objects.remove([key])).rejects.toThrow('no key')
  expect(readFileSync(join(parent, 'one.png'), 'utf8')).toBe('outside')
})

test('a folder that is away is a store that is away, and is not made anew', async () => {
  await objects.put('photos/one.jpg', bytes)
  renameSync(folder, join(parent, 'away'))
  await expect(objects.ping()).rejects.toThrow()
  await expect(objects.get('photos/one.jpg')).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(objects.put('photos/two.jpg', bytes)).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(objects.remove(['photos/one.jpg'])).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(Array.fromAsync(objects.list('photos/'))).rejects.toBeInstanceOf(StoreUnavailable)
  expect(existsSync(folder)).toBe(false)
  renameSync(join(parent, 'away'), folder)
  expect(await objects.get('photos/one.jpg')).not.toBeNull()
})

test('what cannot be written is refused and leaves nothing', async () => {
  mkdirSync(join(folder, 'taken.png'))
  await expect(objects.put('taken.png', bytes)).rejects.toBeInstanceOf(StoreUnavailable)
  expect(readdirSync(join(folder, '.drafts'))).toEqual([])
})

test('drafts of killed processes are removed once no call can be writing them', async () => {
  const drafts = join(folder, '.drafts')
  mkdirSync(drafts)
  for (const name of ['old', 'new']) writeFileSync(join(drafts, name), 'half')
  const hourAgo = Date.now() / 1_000 - 3_600
  utimesSync(join(drafts, 'old'), hourAgo, hourAgo)
  await sweepOld(drafts, 60_000)
  expect(readdirSync(drafts)).toEqual(['new'])
  expect((await Array.fromAsync(objects.list(''))).flat()).toEqual([])
  await sweepOld(join(folder, 'nowhere'), 60_000)
})

test('after a kill -9 in the middle of writes every accepted object is there, whole', async () => {
  const script = `
    import { connectObjects } from '${join(import.meta.dir, 'objects.ts')}'
    const objects = connectObjects({ folder: process.argv[1] })
    const write = async (lane) => {
      for (let round = 1; ; round++) {
        await objects.put('photos/' + lane + '.jpg', new Uint8Array(100_000).fill(round % 256))
        console.log(lane, round)
      }
    }
    for (let lane = 0; lane < 8; lane++) write(lane)`
  for (let kills = 0; kills < 5; kills++) {
    const writer = Bun.spawn([process.execPath, '-e', script, folder], { stdout: 'pipe', stderr: 'inherit' })
    let said = ''
    for await (const chunk of writer.stdout) {
      said += Buffer.from(chunk).toString()
      if (said.length > 500 + kills * 37) writer.kill('SIGKILL')
    }
    const accepted = new Map(
      said
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ').map(Number) as [number, number]),
    )
    expect(accepted.size).toBe(8)
    for (const [lane, round] of accepted) {
      const found = readFileSync(join(folder, 'photos', `${lane}.jpg`))
      expect(found.byteLength).toBe(100_000)
      expect(new Set(found).size).toBe(1)
      expect([round % 256, (round + 1) % 256]).toContain(found[0] ?? -1)
    }
  }
})
