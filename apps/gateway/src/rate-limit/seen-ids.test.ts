import { expect, test } from 'bun:test'
import { SeenIds } from './seen-ids.ts'

const ids = (count: number, name = 'U') => Array.from({ length: count }, (_, index) => `${name}${index}`)

test('a pilgrimage of 300,000 is remembered, and nobody else seems to be', () => {
  const seen = new SeenIds()
  for (const id of ids(300_000)) seen.add(id)
  const remembered = ids(300_000).filter((id) => seen.has(id)).length
  // Some sets of eight are asked to hold nine.
  expect(remembered).toBeGreaterThan(297_000)
  expect(ids(300_000, 'stranger').filter((id) => seen.has(id)).length).toBeLessThan(3)
})

test('the latest is always remembered, however many came before, in a memory that does not grow', () => {
  const seen = new SeenIds()
  for (const id of ids(2_000_000)) {
    seen.add(id)
    if (!seen.has(id)) throw new Error(`${id} was forgotten at once`)
  }
})
