import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { createSanitizer, type Sanitizer, type SanitizerOptions, type Sender } from './sanitizer.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const script = fileURLToPath(new URL('../../test/faulty-sanitizer-process.ts', import.meta.url))
const log = createLog({ service: 'media', level: 'silent' })
let sanitizer: Sanitizer | undefined
afterEach(() => sanitizer?.stop?.())
const sanitizerWith = (options: Partial<SanitizerOptions>) => {
  sanitizer = createSanitizer({ log, script, deadlineMs: 20_000, waitMsMax: 20_000, ...options })
  return sanitizer
}

const JPEG = [0xff, 0xd8, 0xff]
const target = { as: 'png', pixelsMax: 1_000, bytesMax: 1_000 } as const
const send = (one: Sanitizer, kind: number, note = '', sender?: Sender) =>
  one.sanitize(new Uint8Array([...JPEG, ...Buffer.from(note), kind]), target, sender)
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
const served = { image: { width: 1 } }
const unavailable = { code: 'unavailable' }

test('no process runs before the first image, and none is started for what is no image', async () => {
  const one = sanitizerWith({})
  expect(await one.sanitize(Buffer.from('<svg/>'), target)).toHaveProperty('refused')
  expect(one.pids).toEqual([])
  expect(await send(one, 0)).toMatchObject(served)
  expect(one.pids).toHaveLength(1)
})

test('an image that crashes its process twice is refused, and the next one is served', async () => {
  const one = sanitizerWith({ workersMax: 1 })
  const [dead, alive] = await Promise.all([send(one, 1), send(one, 0)])
  expect(dead).toHaveProperty('refused')
  expect(alive).toMatchObject(served)
})

test('an image whose process crashes once is tried again in a fresh process', async () => {
  const note = join(mkdtempSync(join(tmpdir(), 'palanquin-test-sanitizer-')), 'note')
  expect(await send(sanitizerWith({}), 3, note)).toMatchObject(served)
})

test('a process that hangs is ended at the deadline, and the next image is served', async () => {
  const one = sanitizerWith({ workersMax: 1, deadlineMs: 700 })
  const hung = send(one, 2)
  const [pid = 0] = one.pids
  expect(await hung).toMatchObject(unavailable)
  await until(() => isGone(pid), { what: 'the end of the process that hung' })
  // On a busy machine a fresh process may be late, too.
  await until(async () => 'image' in (await send(one, 0)), { what: 'an image that is served after it' })
})

test('a full queue and a wait that is too long are 503 with Retry-After', async () => {
  const one = sanitizerWith({ workersMax: 1, waitingMax: 1, waitMsMax: 50 })
  const working = send(one, 2)
  const [waiting, tooMany] = [send(one, 0), send(one, 0)]
  expect(await tooMany).toMatchObject({ ...unavailable, headers: { 'retry-after': '2' } })
  expect(await waiting).toMatchObject(unavailable)
  one.stop?.()
  expect(await working).toMatchObject(unavailable)
})

test('an idle process ends', async () => {
  const one = sanitizerWith({ idleMs: 20 })
  await send(one, 0)
  await until(() => one.pids.length === 0, { what: 'the end of the idle process' })
  expect(await send(one, 0)).toMatchObject(served)
})

test('an idle process that is killed from outside is replaced', async () => {
  const one = sanitizerWith({ workersMax: 1 })
  await send(one, 0)
  const [pid = 0] = one.pids
  process.kill(pid, 'SIGKILL')
  expect(await send(one, 0)).toMatchObject(served)
  expect(one.pids).not.toContain(pid)
})

test('stop leaves no process behind', async () => {
  const one = sanitizerWith({ workersMax: 2 })
  await Promise.all([send(one, 0), send(one, 0)])
  const pids = [...one.pids]
  expect(pids).toHaveLength(2)
  one.stop?.()
  await until(() => pids.every(isGone), { what: 'the end of both processes' })
  expect(await send(one, 0)).toMatchObject(unavailable)
})

test('the sender learns the cost of an image, also of one that crashed or outlasted its process', async () => {
  const costs: number[] = []
  const sender = { client: 'a', onDecoded: (processorMs: number) => void costs.push(processorMs) }
  const one = sanitizerWith({ deadlineMs: 700 })
  // On a busy machine a fresh process may be late.
  await until(async () => 'image' in (await send(one, 0, '', sender)), { what: 'an image that is served' })
  expect(costs.at(-1)).toBe(7)
  await send(one, 1, '', sender)
  expect(costs.at(-1)).toBeGreaterThan(0)
  expect(await send(one, 2, '', sender)).toMatchObject(unavailable)
  expect(costs.at(-1)).toBeGreaterThanOrEqual(600)
})

test('what is no image costs nothing', async () => {
  let cost: number | undefined
  const onDecoded = (processorMs: number) => {
    cost = processorMs
  }
  await sanitizerWith({}).sanitize(Buffer.from('<svg/>'), target, { client: 'a', onDecoded })
  expect(cost).toBeUndefined()
})
