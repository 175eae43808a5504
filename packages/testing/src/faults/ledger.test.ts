import { expect, test } from 'bun:test'
import { ledger, outcomeOf } from './ledger.ts'

test('every write is acknowledged, indeterminate or refused, and found lost, doubled, phantom, or as it should be', () => {
  const book = ledger()
  for (const key of ['sound', 'lost', 'doubled']) book.note(key, 'acknowledged')
  for (const key of ['open', 'open and there']) book.note(key, 'indeterminate')
  book.note('refused and there', 'refused')
  book.note('refused', 'refused')
  const stored = ['sound', 'doubled', 'doubled', 'open and there', 'refused and there', 'never sent']
  expect(book.check(stored)).toEqual({
    acknowledged: 3,
    indeterminate: 2,
    lost: ['lost'],
    doubled: ['doubled'],
    phantom: ['refused and there', 'never sent'],
  })
})

test('of several tries the best answer counts: who was answered once is owed it', () => {
  const book = ledger()
  for (const outcome of ['indeterminate', 'acknowledged', 'refused'] as const) book.note('retried', outcome)
  for (const outcome of ['indeterminate', 'refused'] as const) book.note('refused later', outcome)
  expect(book.check([])).toMatchObject({ acknowledged: 1, indeterminate: 1, lost: ['retried'] })
  expect(book.check(['retried', 'refused later'])).toMatchObject({ lost: [], phantom: [] })
})

test.each([
  [200, 'acknowledged'],
  [202, 'acknowledged'],
  [403, 'refused'],
  [429, 'refused'],
  [503, 'indeterminate'],
  [504, 'indeterminate'],
  [null, 'indeterminate'],
  [undefined, 'indeterminate'],
] as const)('an answer of %p is %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome)
})
