import { expect, test } from 'bun:test'
import { SeenIds } from '@palanquin/service/seen-ids'
import { followNewcomers } from './newcomers.ts'

const withRows = (...userIds: string[]) => ({
  isKnown: () => true,
  columns: { has: (userId: string) => userIds.includes(userId) },
})

test('who has no row is new once; who has one never is', () => {
  const newcomers = followNewcomers(withRows('registered'))
  expect(['one', 'registered', 'one', 'two', 'two'].map(newcomers.isNew)).toEqual([
    ...[true, false, false],
    ...[true, false],
  ])
})

test('whose data was accepted before, as the journal shows, is not new', () => {
  const seen = new SeenIds()
  seen.add('replayed')
  expect(['replayed', 'other'].map(followNewcomers(withRows(), seen).isNew)).toEqual([false, true])
})

test('until all participants were read nobody is new, and who came then is not new afterwards', () => {
  let isKnown = false
  const newcomers = followNewcomers({ ...withRows(), isKnown: () => isKnown })
  expect(newcomers.isNew('early')).toBe(false)
  isKnown = true
  expect(['early', 'late'].map(newcomers.isNew)).toEqual([false, true])
})
