import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@palanquin/service/log'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { type Cleaner, type CleanerOptions, createCleaner, type Sender } from './sanitizer.ts'

setDefaultTimeout(HANG_MS)

const script = fileURLToPath(new URL('../../test/faulty-sanitizer-process.ts', import.meta.url))
const log = createLog({ service: 'media', level: 'silent' })
let cleaner: Cleaner | undefined
afterEach(() => cleaner?.stop?.())
const cleanerWith = (options: Partial<CleanerOptions>) => {
  cleaner = createCleaner({ log, script, workMsMax: 20_000, waitMsMax: 20_000, ...options })
  return cleaner
}

const JPEG = [0xff, 0xd8, 0xff]
const wanted = { as: 'png', pixelsMax: 1_000, bytesMax: 1_000 } as const
const send = (one: Cleaner, kind: number, note = '', sender?: Sender) =>
  one.clean(new Uint8Array([...JPEG, ...Buffer.from(note), kind]), wanted, sender)
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
const picture = { picture: { width: 1 } }
const unavailable = { code: 'unavailable' }

test('no process runs before the first picture, and none is started for what is no picture', async () => {
  const one = cleanerWith({})
  expect(await one.clean(Buffer.from('<svg/>'), wanted)).toHaveProperty('refused')
  expect(one.pids).toEqual([])
  expect(await send(one, 0)).toMatchObject(picture)
  expect(one.pids).toHaveLength(1)
})

test('a picture that kills its process twice is refused, and the next one is served', async () => {
  const one = cleanerWith({ processesMax: 1 })
  const [dead, alive] = await Promise.all([send(one, 1), send(one, 0)])
  expect(dead).toHaveProperty('refused')
  expect(alive).toMatchObject(picture)
})

test('a process that dies once has its picture tried again in a fresh one', async () => {
  const note = join(mkdtempSync(join(tmpdir(), 'palanquin-test-cleaner-')), 'note')
  expect(await send(cleanerWith({}), 3, note)).toMatchObject(picture)
})

test('a process that hangs is ended at the deadline, and the next picture is served', async () => {
  const one = cleanerWith({ processesMax: 1, workMsMax: 700 })
  const hung = send(one, 2)
  const [pid = 0] = one.pids
  expect(await hung).toMatchObject(unavailable)
  await until(() => isGone(pid), { what: 'the end of the process that hung' })
  // On a busy machine a fresh process may be late, too.
  await until(async () => 'picture' in (await send(one, 0)), { what: 'a picture that is served after it' })
})

test('who finds the queue full, or waits too long in it, is told to come again', async () => {
  const one = cleanerWith({ processesMax: 1, waitingMax: 1, waitMsMax: 50 })
  const working = send(one, 2)
  const [waiting, tooMany] = [send(one, 0), send(one, 0)]
  expect(await tooMany).toMatchObject({ ...unavailable, headers: { 'retry-after': '2' } })
  expect(await waiting).toMatchObject(unavailable)
  one.stop?.()
  expect(await working).toMatchObject(unavailable)
})

test('a process that has nothing to do ends', async () => {
  const one = cleanerWith({ idleMsMax: 20 })
  await send(one, 0)
  await until(() => one.pids.length === 0, { what: 'the end of the idle process' })
  expect(await send(one, 0)).toMatchObject(picture)
})

test('a stop leaves no process behind', async () => {
  const one = cleanerWith({ processesMax: 2 })
  await Promise.all([send(one, 0), send(one, 0)])
  const pids = [...one.pids]
  expect(pids).toHaveLength(2)
  one.stop?.()
  await until(() => pids.every(isGone), { what: 'the end of both processes' })
  expect(await send(one, 0)).toMatchObject(unavailable)
})

test('whoever sends a picture hears what it cost, also of one that killed or outlasted its process', async () => {
  const costs: number[] = []
  const sender = { client: 'a', decoded: (processorMs: number) => void costs.push(processorMs) }
  const one = cleanerWith({ workMsMax: 700 })
  // On a busy machine a fresh process may be late.
  await until(async () => 'picture' in (await send(one, 0, '', sender)), { what: 'a picture that is served' })
  expect(costs.at(-1)).toBe(7)
  await send(one, 1, '', sender)
  expect(costs.at(-1)).toBeGreaterThan(0)
  expect(await send(one, 2, '', sender)).toMatchObject(unavailable)
  expect(costs.at(-1)).toBeGreaterThanOrEqual(600)
})

test('what is no picture costs nothing', async () => {
  let cost: number | undefined
  const decoded = (processorMs: number) => {
    cost = processorMs
  }
  await cleanerWith({}).clean(Buffer.from('<svg/>'), wanted, { client: 'a', decoded })
  expect(cost).toBeUndefined()
})
