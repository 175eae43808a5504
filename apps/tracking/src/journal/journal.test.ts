import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { fill, journalHarness, upTo } from '../../test/journal-harness.ts'
import { lockFolder } from './folder-lock.ts'
import type { Journal } from './journal.ts'
import { encodeLine } from './line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = journalHarness()

test('entries of one tick are one write, and each receipt has the place of its entry', async () => {
  const journal = await harness.open()
  const receipts = await fill(journal, 100)
  expect(receipts.map((receipt) => receipt?.index)).toEqual(upTo(100))
  expect(new Set(receipts.map((receipt) => receipt?.segment)).size).toBe(1)
})

test('entries of one call follow each other, whatever else comes in the same tick', async () => {
  const journal = await harness.open()
  const groups = [3, 1, 5].map((count, group) =>
    journal.appendAll(upTo(count).map((at) => JSON.stringify({ group, at }))),
  )
  const [first, second, third] = await Promise.all(groups)
  expect([first?.index, second?.index, third?.index]).toEqual([0, 3, 4])
  const lines = await first?.segment.lines(0)
  expect(lines?.lines).toEqual(
    [3, 1, 5].flatMap((count, group) => upTo(count).map((at) => ({ json: JSON.stringify({ group, at }) }))),
  )
  expect(journal.stats().waiting).toBe(9)
})

const LONG = JSON.stringify({ text: 'x'.repeat(1_000) })
/** So many files of a mebibyte, of which Redis has all. */
async function fillFiles(journal: Journal, files: number): Promise<void> {
  for (let group = 0; group < files * 10; group++) {
    const receipts = await Promise.all(Array.from({ length: 110 }, () => journal.append(LONG)))
    for (const receipt of receipts) if (receipt) journal.taken(receipt)
  }
}
/** It looks each second, and would by now be wrong to have done something. */
const aLook = () => Bun.sleep(1_100)

test('segments are sealed at a mebibyte; what Redis has is kept until PostgreSQL has it, and a minute more', async () => {
  const journal = await harness.open()
  await fillFiles(journal, 2)
  const files = harness.segments()
  expect(files.length).toBeWithin(2, 4)
  harness.clock.advance(3_600_000)
  await aLook()
  expect(harness.segments()).toEqual(files)
  await fillFiles(journal, 1)
  harness.stored(journal)
  harness.clock.advance(60_000) // the duplicate rule looks back so far: its first check-in must be replayed with the repeat
  await aLook()
  expect(harness.segments().length).toBeGreaterThan(0)
  harness.clock.advance(6_000)
  await harness.gone(journal)
})

test('flushed segments are kept with the unflushed ones of the following minute', async () => {
  const journal = await harness.open()
  await fillFiles(journal, 1)
  harness.stored(journal)
  harness.clock.advance(50_000)
  const [open] = await fill(journal, 1)
  harness.clock.advance(1_000_000)
  await aLook()
  expect(harness.segments().length).toBeGreaterThan(1)
  if (open) journal.taken(open)
  harness.clock.advance(66_000)
  await harness.gone(journal)
})

test('what Redis has lost is replayed, once; without a loss nothing is', async () => {
  const journal = await harness.open()
  for (const receipt of await fill(journal, 5)) if (receipt) journal.taken(receipt)
  expect(journal.isPending()).toBe(false)
  expect(await journal.requeue()).toBe(5)
  const { replayed } = harness.replayInto(journal)
  await until(() => !journal.isPending(), { what: 'the replay' })
  expect(replayed).toEqual(upTo(5))
})

test('after a clean stop nothing is replayed, unless Redis lost its data meanwhile', async () => {
  const before = await harness.open()
  for (const receipt of await fill(before, 5)) if (receipt) before.taken(receipt)
  await harness.settled(before)
  await harness.close(before, 'one epoch')
  const after = await harness.open()
  expect(after.epoch).toBe('one epoch')
  expect(after.isPending()).toBe(false)
  await after.requeue()
  const { replayed } = harness.replayInto(after)
  await until(() => !after.isPending(), { what: 'the replay' })
  expect(replayed).toEqual(upTo(5))
  await harness.crash(after)
  expect((await harness.open()).epoch).toBeNull()
})

test('after a clean stop what Redis may not have on its disk yet is replayed: a power cut may come first', async () => {
  const before = await harness.open()
  for (const receipt of await fill(before, 5)) if (receipt) before.taken(receipt)
  await harness.close(before, 'one epoch')
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => !after.isPending(), { what: 'the replay' })
  expect(replayed).toEqual(upTo(5))
})

test('past its share of the disk the journal refuses entries, and accepts them again once Redis has caught up', async () => {
  const journal = await harness.open({ bytesMax: 65_536 })
  const receipts = []
  for (;;) {
    const receipt = await journal.append(LONG)
    if (!receipt) break
    receipts.push(receipt)
  }
  expect(receipts.length).toBeWithin(60, 66)
  expect(journal.stats().bytes).toBeLessThanOrEqual(65_536)
  expect(await journal.append(LONG)).toBeNull()
  for (const receipt of receipts) journal.taken(receipt)
  harness.clock.advance(6_000)
  await until(async () => (await journal.append(LONG)) !== null, { what: 'space again' })
})

test('an entry that the disk refused is not in the file afterwards', async () => {
  const journal = await harness.open()
  await fill(journal, 3)
  const [file = ''] = harness.segments()
  const before = readFileSync(harness.path(file), 'utf8')
  const { segment } = (await journal.append('{"n":3}')) ?? {}
  const whole = readFileSync(harness.path(file), 'utf8')
  expect(whole).toBe(before + encodeLine('{"n":3}'))
  segment?.seal() // a sealed file takes nothing, as a full disk does
  expect(() => segment?.append(encodeLine('{"n":4}'), 1)).toThrow()
  expect(readFileSync(harness.path(file), 'utf8')).toBe(whole)
  expect(await journal.append('{"n":5}')).not.toBeNull()
})

test('two processes never share a folder; the lock of a dead one is ignored', async () => {
  const journal = await harness.open()
  await expect(lockFolder(harness.path('.'), 100)).rejects.toThrow('JOURNAL_DIR')
  await harness.crash(journal)
  const lock = await lockFolder(harness.path('.'), 100)
  lock.release()
})

test.each([
  ['nothing', ''],
  ['zeros', '\0'.repeat(36)],
])('an instance name of which a power cut has left %s is replaced, and kept', async (_, replayLater) => {
  const first = await harness.open()
  await harness.close(first)
  writeFileSync(harness.path('instance'), replayLater)
  const second = await harness.open()
  expect(second.instance).toMatch(/^[0-9a-f-]{36}$/)
  expect(second.instance).not.toBe(first.instance)
  await harness.close(second)
  expect((await harness.open()).instance).toBe(second.instance)
})
