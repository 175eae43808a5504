import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { until } from '@palanquin/testing/until'
import { fill, journalStand, upTo } from '../../test/journal-stand.ts'
import { lockFolder } from './folder.ts'
import { encodeLine } from './line.ts'

setDefaultTimeout(60_000) // a busy machine
const stand = journalStand()

test('entries of one turn are one write, and each stands where its receipt says', async () => {
  const journal = await stand.open()
  const receipts = await fill(journal, 100)
  expect(receipts.map((receipt) => receipt?.index)).toEqual(upTo(100))
  expect(new Set(receipts.map((receipt) => receipt?.segment)).size).toBe(1)
})

test('files are closed at a mebibyte; one that Redis has whole goes after a minute, not before', async () => {
  const journal = await stand.open()
  const long = JSON.stringify({ text: 'x'.repeat(1_000) })
  for (let group = 0; group < 23; group++) {
    const receipts = await Promise.all(Array.from({ length: 100 }, () => journal.append(long)))
    for (const receipt of receipts) if (receipt) journal.taken(receipt)
  }
  expect(stand.segments()).toHaveLength(3)
  stand.clock.advance(60_000) // the duplicate rule looks back so far: its first check-in must be replayed with the repeat
  await Bun.sleep(1_100) // it looks each second, and would now be wrong to find something
  expect(stand.segments()).toHaveLength(3)
  stand.clock.advance(6_000)
  await until(() => stand.segments().length === 0, { what: 'the files go' })
})

test('past its share of the disk it refuses, and takes again once Redis has caught up', async () => {
  const journal = await stand.open({ bytesMax: 65_536 })
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
  stand.clock.advance(6_000)
  await until(async () => (await journal.append(long)) !== null, { what: 'room again' })
})

test('nothing that the disk refused is in the file afterwards', async () => {
  const journal = await stand.open()
  await fill(journal, 3)
  const [file = ''] = stand.segments()
  const before = readFileSync(stand.path(file), 'utf8')
  const { segment } = (await journal.append('{"n":3}')) ?? {}
  const whole = readFileSync(stand.path(file), 'utf8')
  expect(whole).toBe(before + encodeLine('{"n":3}'))
  segment?.seal() // a sealed file takes nothing, as a full disk does
  expect(() => segment?.append(encodeLine('{"n":4}'), 1)).toThrow()
  expect(readFileSync(stand.path(file), 'utf8')).toBe(whole)
  expect(await journal.append('{"n":5}')).not.toBeNull()
})

test('two processes never share a folder; a dead one’s lock is no lock', async () => {
  const journal = await stand.open()
  await expect(lockFolder(stand.path('.'), 100)).rejects.toThrow('JOURNAL_DIR')
  await stand.crash(journal)
  const lock = await lockFolder(stand.path('.'), 100)
  lock.release()
})
