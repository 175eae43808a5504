import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import { computeRank, LEVELS, LevelAnswer, levelAnswer, nextLevel } from './rank'

test('a level is reached at exactly its kilometres and check-ins, and not just below either', () => {
  for (const { level, minKm, minCheckins } of LEVELS) {
    const below = level - 1 === 0 ? undefined : level - 1
    expect(computeRank(minKm, minCheckins)?.level).toBe(level)
    expect(computeRank(minKm, minCheckins - 1)?.level).toBe(below)
    if (minKm > 0) expect(computeRank(minKm - 1e-9, minCheckins)?.level).toBe(below)
  }
})

test('the lower of kilometres and check-ins decides', () => {
  expect(computeRank(1000, 12)?.level).toBe(3)
  expect(computeRank(50, 1000)?.level).toBe(3)
  expect(computeRank(1000, 1000)?.level).toBe(9)
})

test('below one check-in there is no level, however far the walk', () => {
  expect(computeRank(300, 0)).toBeNull()
  expect(levelAnswer(300, 0)).toBeNull()
  expect(nextLevel(300, 0)).toMatchObject({ level: { level: 1 }, kmToGo: 0, checkinsToGo: 1 })
})

test('the answer tells what the next level takes, rounded; after the ninth there is none', () => {
  expect(levelAnswer(12.345, 4)).toEqual({
    level: 1,
    nameZh: '煉氣香客',
    nameEn: 'Qi Refining Pilgrim',
    icon: '🔥',
    next: { level: 2, kmToGo: 2.655, checkinsToGo: 1 },
  })
  expect(levelAnswer(16, 4)?.next).toEqual({ level: 2, kmToGo: 0, checkinsToGo: 1 })
  expect(levelAnswer(300, 40)).toMatchObject({ level: 9, next: null })
  expect(
    [levelAnswer(300, 40), levelAnswer(0, 0), levelAnswer(12.3456, 4)].every((answer) =>
      Check(LevelAnswer, answer),
    ),
  ).toBe(true)
})
