import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { fill, journalHarness, upTo } from '../../test/journal-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = journalHarness()

const isThree = (text: string) => text.includes('{"n":3}')
const onDisk = () =>
  harness
    .segments()
    .map((name) => readFileSync(harness.path(name), 'utf8'))
    .join('')

test('a blanked line is gone from the disk, and the others are replayed', async () => {
  const journal = await harness.open()
  for (const receipt of await fill(journal, 5)) if (receipt) journal.replayLater(receipt)
  expect(await journal.blank(isThree)).toBe(1)
  expect(onDisk()).not.toContain('{"n":3}')
  await fill(journal, 2, 5)
  const { replayed } = harness.replayInto(journal)
  await until(() => !journal.isPending(), { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 2, 4])
  expect(journal.stats().waiting).toBe(2) // those behind, which Redis is just taking
})

test('receipts from before a blanking still mean their lines', async () => {
  const journal = await harness.open()
  const receipts = await fill(journal, 5)
  await journal.blank(isThree)
  const [first, , , blanked, last] = receipts
  if (!first || !blanked || !last) throw new Error('all were written')
  journal.taken(first)
  journal.replayLater(blanked)
  journal.replayLater(last)
  const { replayed } = harness.replayInto(journal)
  await until(() => replayed.length === 3, { what: 'the replay of what Redis did not take' })
  expect(replayed).toEqual([1, 2, 4])
})

test('after a crash a blanked line is not replayed; the reported size is that on disk', async () => {
  const before = await harness.open()
  await fill(before, 5)
  await before.blank(isThree)
  expect(before.stats().bytes).toBe(Buffer.byteLength(onDisk()))
  await harness.crash(before)
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => !after.isPending(), { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 2, 4])
})

test('files of an earlier process that were not read yet are blanked as well', async () => {
  const before = await harness.open()
  await fill(before, 5)
  await harness.crash(before)
  const after = await harness.open()
  expect(await after.blank(isThree)).toBe(1)
  const { replayed } = harness.replayInto(after)
  await until(() => !after.isPending(), { what: 'the replay' })
  expect(replayed).toEqual(upTo(5).filter((n) => n !== 3))
})

test('damaged lines are blanked too, in the segment and in the file to which they were moved', async () => {
  writeFileSync(harness.path('000000000001.log'), 'badbadba {"n":3}\nbadbadba {"n":4}\n')
  writeFileSync(harness.path('damaged.log'), 'badbadba {"n":3}\nbadbadba {"n":5}\n')
  const journal = await harness.open()
  expect(await journal.blank((text, { damaged }) => damaged && isThree(text))).toBe(1)
  expect(onDisk()).toContain('{"n":4}')
  expect(onDisk()).not.toContain('{"n":3}')
  expect(readFileSync(harness.path('damaged.log'), 'utf8')).toBe('badbadba {"n":5}\n')
})

test('the draft that a crash during a rewrite left is removed at the next start', async () => {
  writeFileSync(harness.path('000000000001.log.0123456789ab.draft'), 'half')
  await harness.open()
  expect(existsSync(harness.path('000000000001.log.0123456789ab.draft'))).toBe(false)
})
