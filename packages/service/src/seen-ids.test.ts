import { expect, test } from 'bun:test'
import { SeenIds } from './seen-ids.ts'

const ids = (count: number, name = 'U') => Array.from({ length: count }, (_, index) => `${name}${index}`)

test('300,000 ids are remembered, and hardly any other id seems to be', () => {
  const seen = new SeenIds()
  for (const id of ids(300_000)) seen.add(id)
  const remembered = ids(300_000).filter((id) => seen.has(id)).length
  // Some sets of eight are asked to hold nine.
  expect(remembered).toBeGreaterThan(297_000)
  expect(ids(300_000, 'unseen').filter((id) => seen.has(id)).length).toBeLessThan(3)
})

test('the latest id is always remembered, in memory that does not grow', () => {
  const seen = new SeenIds()
  for (const id of ids(2_000_000)) {
    seen.add(id)
    if (!seen.has(id)) throw new Error(`${id} was forgotten at once`)
  }
})
