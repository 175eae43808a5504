import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@palanquin/service/log'
import { testClock } from '@palanquin/testing/clock'
import { until } from '@palanquin/testing/until'
import { lockFolder } from './folder.ts'
import { type Journal, openJournal } from './journal.ts'
import { encodeLine } from './line.ts'
import { createReplayer, type Replayed } from './replay.ts'

setDefaultTimeout(60_000) // real servers on a busy machine

const log = createLog({ service: 'test', level: 'silent' })
const clock = testClock()
let folder = ''
const cleanUp: (() => Promise<void> | void)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-journal-'))
})
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work()
  rmSync(folder, { recursive: true, force: true })
})

async function open({ bytesMax = 2 ** 31, fsync = false, onLeft = () => {} } = {}): Promise<Journal> {
  const journal = await openJournal({ folder, bytesMax, fsync, now: clock.now, log, onLeft })
  cleanUp.push(journal.close)
  return journal
}

/** A second process would find the folder as a crash leaves it: with the lock gone, and nothing said to Redis. */
async function crash(journal: Journal): Promise<void> {
  const files = segments().map((name) => [join(folder, name), readFileSync(join(folder, name))] as const)
  cleanUp.splice(cleanUp.indexOf(journal.close), 1)
  await journal.close()
  for (const [path, bytes] of files) writeFileSync(path, bytes)
}

const segments = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log') && name !== 'damaged.log')
    .sort()
const fill = (journal: Journal, entries: number, from = 0) =>
  Promise.all(Array.from({ length: entries }, (_, i) => journal.append(JSON.stringify({ n: from + i }))))

/** Replays into a list; `take` may refuse, or be away. */
function replayInto(journal: Journal, take: (n: number) => Replayed = () => 'taken') {
  const replayed: number[] = []
  const write = async (json: string): Promise<Replayed> => {
    const { n } = JSON.parse(json)
    const outcome = take(n)
    if (outcome === 'taken') replayed.push(n)
    return outcome
  }
  const replayer = createReplayer({ journal, write, isUp: () => true, now: clock.now, log })
  cleanUp.push(replayer.stop)
  replayer.start()
  return { replayed, replayer }
}
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)

test('what was appended before a crash is replayed after it, in order', async () => {
  const before = await open()
  const receipts = await fill(before, 1_000)
  expect(receipts.every((receipt) => receipt !== null)).toBe(true)
  await crash(before)
  const after = await open()
  const { replayed } = replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(1_000))
})

test('entries of one turn are one write, and each stands where its receipt says', async () => {
  const journal = await open()
  const receipts = await fill(journal, 100)
  expect(receipts.map((receipt) => receipt?.index)).toEqual(upTo(100))
  expect(new Set(receipts.map((receipt) => receipt?.segment)).size).toBe(1)
})

test('a line that the crash tore off was never answered and is dropped', async () => {
  const before = await open()
  await fill(before, 3)
  await crash(before)
  const [file = ''] = segments()
  appendFileSync(join(folder, file), encodeLine('{"n":3}').slice(0, -4))
  const after = await open()
  const { replayed } = replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 2])
})

test('a damaged line is put aside, and all others are replayed', async () => {
  const before = await open()
  await fill(before, 5)
  await crash(before)
  const [file = ''] = segments()
  const text = readFileSync(join(folder, file), 'utf8')
  writeFileSync(join(folder, file), text.replace('{"n":2}', '{"n":7}'))
  const after = await open()
  const { replayed } = replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 3, 4])
  expect(readFileSync(join(folder, 'damaged.log'), 'utf8')).toContain('{"n":7}')
})

test('an empty file, and one that is only a torn line, hold up nothing', async () => {
  writeFileSync(join(folder, '000000000001.log'), '')
  writeFileSync(join(folder, '000000000002.log'), '0badc0de {"n"')
  writeFileSync(join(folder, '000000000003.log'), encodeLine('{"n":0}'))
  const journal = await open()
  const { replayed } = replayInto(journal)
  await until(() => journal.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0])
})

test('what Redis did not take is replayed until it does, in order; what it took is not', async () => {
  let away = true
  const journal = await open({ onLeft: () => replayer.nudge() })
  const { replayed, replayer } = replayInto(journal, () => (away ? 'away' : 'taken'))
  const receipts = await fill(journal, 500)
  receipts.forEach((receipt, n) => {
    if (receipt && n % 2) journal.taken(receipt)
    else if (receipt) journal.left(receipt)
  })
  expect(await journal.drained(300)).toBe(false)
  expect(replayed).toEqual([])
  away = false
  replayer.kick()
  expect(await journal.drained(5_000)).toBe(true)
  expect(replayed).toEqual(upTo(500).filter((n) => n % 2 === 0))
})

test('an entry that Redis refuses for itself holds up neither the others nor later files', async () => {
  const journal = await open({ onLeft: () => replayer.nudge() })
  const { replayed, replayer } = replayInto(journal, (n) => (n === 1 ? 'refused' : 'taken'))
  for (const receipt of await fill(journal, 3)) if (receipt) journal.left(receipt)
  await until(() => replayed.length === 2, { what: 'the others' })
  for (const receipt of await fill(journal, 2, 3)) if (receipt) journal.left(receipt)
  await until(() => replayed.length === 4, { what: 'the later file' })
  expect(replayed).toEqual([0, 2, 3, 4])
  expect(journal.stats().waiting).toBe(1)
})

test('files are closed at a mebibyte; one that Redis has whole goes after a minute, not before', async () => {
  const journal = await open()
  const long = JSON.stringify({ text: 'x'.repeat(1_000) })
  for (let group = 0; group < 23; group++) {
    const receipts = await Promise.all(Array.from({ length: 100 }, () => journal.append(long)))
    for (const receipt of receipts) if (receipt) journal.taken(receipt)
  }
  expect(segments()).toHaveLength(3)
  clock.advance(60_000) // the duplicate rule looks back so far: its first check-in must be replayed with the repeat
  await Bun.sleep(1_100) // it looks each second, and would now be wrong to find something
  expect(segments()).toHaveLength(3)
  clock.advance(6_000)
  await until(() => segments().length === 0, { what: 'the files go' })
})

test('past its share of the disk it refuses, and takes again once Redis has caught up', async () => {
  const journal = await open({ bytesMax: 65_536 })
  const long = JSON.stringify({ text: 'x'.repeat(1_000) })
  const receipts = []
  for (;;) {
    const receipt = await journal.append(long)
    if (!receipt) break
    receipts.push(receipt)
  }
  expect(receipts.length).toBeWithin(60, 66)
  expect(journal.stats().bytes).toBeLessThanOrEqual(65_536)
  expect(await journal.append(long)).toBeNull()
  for (const receipt of receipts) journal.taken(receipt)
  clock.advance(6_000)
  await until(async () => (await journal.append(long)) !== null, { what: 'room again' })
})

test('nothing that the disk refused is in the file afterwards', async () => {
  const journal = await open()
  await fill(journal, 3)
  const [file = ''] = segments()
  const before = readFileSync(join(folder, file), 'utf8')
  const { segment } = (await journal.append('{"n":3}')) ?? {}
  const whole = readFileSync(join(folder, file), 'utf8')
  expect(whole).toBe(before + encodeLine('{"n":3}'))
  segment?.seal() // a sealed file takes nothing, as a full disk does
  expect(() => segment?.append(encodeLine('{"n":4}'), 1)).toThrow()
  expect(readFileSync(join(folder, file), 'utf8')).toBe(whole)
  expect(await journal.append('{"n":5}')).not.toBeNull()
})

test('with fsync on every entry is on the disk itself when it is answered, in order', async () => {
  const before = await open({ fsync: true })
  await Promise.all([fill(before, 50), Bun.sleep(1).then(() => fill(before, 50, 50))])
  await crash(before)
  const after = await open()
  const { replayed } = replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(100))
})

test('two processes never share a folder; a dead one’s lock is no lock', async () => {
  const journal = await open()
  await expect(lockFolder(folder, 100)).rejects.toThrow('JOURNAL_DIR')
  await crash(journal)
  const lock = await lockFolder(folder, 100)
  lock.release()
})

test('a clean end leaves nothing but what Redis does not have', async () => {
  const journal = await open()
  const [one, two] = await fill(journal, 2)
  if (one) journal.taken(one)
  cleanUp.length = 0
  await journal.close()
  expect(segments()).toHaveLength(1)
  const again = await open()
  const { replayed } = replayInto(again)
  await until(() => again.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1]) // once more, which its key makes harmless
  expect(two).not.toBeNull()
  cleanUp.length = 0
  await again.close()
  expect(segments()).toHaveLength(0)
})

test('a file that lost its tail to the disk is replayed as far as it goes', async () => {
  const before = await open()
  await fill(before, 10)
  await crash(before)
  const [file = ''] = segments()
  truncateSync(join(folder, file), readFileSync(join(folder, file)).length - 30)
  const after = await open()
  const { replayed } = replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(8))
})
