import { expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { fill, journalHarness, upTo } from '../../test/journal-harness.ts'
import { encodeLine } from './line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = journalHarness()

test('entries from before a crash are replayed after it, in order', async () => {
  const before = await harness.open()
  const receipts = await fill(before, 1_000)
  expect(receipts.every((receipt) => receipt !== null)).toBe(true)
  await harness.crash(before)
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(1_000))
})

test('a line that a crash tore off was never answered and is dropped', async () => {
  const before = await harness.open()
  await fill(before, 3)
  await harness.crash(before)
  const [file = ''] = harness.segments()
  appendFileSync(harness.path(file), encodeLine('{"n":3}').slice(0, -4))
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 2])
})

test('a damaged line is set aside, and all others are replayed', async () => {
  const before = await harness.open()
  await fill(before, 5)
  await harness.crash(before)
  const [file = ''] = harness.segments()
  const text = readFileSync(harness.path(file), 'utf8')
  writeFileSync(harness.path(file), text.replace('{"n":2}', '{"n":7}'))
  const after = await harness.open()
  const { replayed, metrics } = harness.replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1, 3, 4])
  expect(readFileSync(harness.path('damaged.log'), 'utf8')).toContain('{"n":7}')
  expect(await metrics()).toContain('palanquin_journal_damaged_total{service="test"} 1')
  expect(await metrics()).toContain(`palanquin_journal_replayed_total{service="test"} ${replayed.length}`)
})

test('an empty file, and one with only a torn line, hold up no other', async () => {
  writeFileSync(harness.path('000000000001.log'), '')
  writeFileSync(harness.path('000000000002.log'), '0badc0de {"n"')
  writeFileSync(harness.path('000000000003.log'), encodeLine('{"n":0}'))
  const journal = await harness.open()
  const { replayed } = harness.replayInto(journal)
  await until(() => journal.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0])
})

test('entries that Redis did not take are replayed until it does, in order; others are not', async () => {
  let away = true
  const journal = await harness.open({ onReplayWanted: () => replayer.wakeIfIdle() })
  const { replayed, replayer } = harness.replayInto(journal, () => (away ? 'away' : 'taken'))
  const receipts = await fill(journal, 500)
  receipts.forEach((receipt, n) => {
    if (receipt && n % 2) journal.taken(receipt)
    else if (receipt) journal.replayLater(receipt)
  })
  expect(await journal.drained(300)).toBe(false)
  expect(replayed).toEqual([])
  away = false
  replayer.wake()
  expect(await journal.drained(5_000)).toBe(true)
  expect(replayed).toEqual(upTo(500).filter((n) => n % 2 === 0))
})

test('an entry that Redis refuses holds up neither the others nor later files', async () => {
  const journal = await harness.open({ onReplayWanted: () => replayer.wakeIfIdle() })
  const { replayed, replayer } = harness.replayInto(journal, (n) => (n === 1 ? 'refused' : 'taken'))
  for (const receipt of await fill(journal, 3)) if (receipt) journal.replayLater(receipt)
  await until(() => replayed.length === 2, { what: 'the others' })
  for (const receipt of await fill(journal, 2, 3)) if (receipt) journal.replayLater(receipt)
  await until(() => replayed.length === 4, { what: 'the later file' })
  expect(replayed).toEqual([0, 2, 3, 4])
  expect(journal.stats().waiting).toBe(1)
})

test('with fsync on every answered entry is on disk, in order', async () => {
  const before = await harness.open({ fsync: true })
  await Promise.all([fill(before, 50), Bun.sleep(1).then(() => fill(before, 50, 50))])
  await harness.crash(before)
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(100))
})

test('a clean stop leaves only what Redis does not have', async () => {
  const journal = await harness.open()
  const [one, two] = await fill(journal, 2)
  if (one) journal.taken(one)
  await harness.close(journal)
  expect(harness.segments()).toHaveLength(1)
  const requeue = await harness.open()
  const { replayed, replayer } = harness.replayInto(requeue)
  await until(() => requeue.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual([0, 1]) // once more, which its key makes harmless
  expect(two).not.toBeNull()
  await replayer.stop()
  harness.stored(requeue)
  harness.clock.advance(66_000)
  await harness.gone(requeue)
})

test('a file that lost its end is replayed as far as it goes', async () => {
  const before = await harness.open()
  await fill(before, 10)
  await harness.crash(before)
  const [file = ''] = harness.segments()
  truncateSync(harness.path(file), readFileSync(harness.path(file)).length - 30)
  const after = await harness.open()
  const { replayed } = harness.replayInto(after)
  await until(() => after.stats().waiting === 0, { what: 'the replay' })
  expect(replayed).toEqual(upTo(8))
})
