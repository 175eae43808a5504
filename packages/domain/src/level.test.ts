import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import { computeLevel, LEVELS, LevelAnswer, levelAnswer, nextLevel } from './level'

/** Specification 2.2, written out. */
const TABLE = [
  [1, '煉氣香客', 'Qi Refining Pilgrim', 0, 1, '🔥'],
  [2, '築基香客', 'Foundation Pilgrim', 15, 5, '🧱'],
  [3, '金丹香客', 'Golden Core Pilgrim', 45, 10, '💛'],
  [4, '元嬰香客', 'Nascent Soul Pilgrim', 90, 15, '👶'],
  [5, '化神香客', 'Spirit Pilgrim', 135, 20, '✨'],
  [6, '煉虛香客', 'Void Pilgrim', 180, 25, '🌀'],
  [7, '合體香客', 'Unity Pilgrim', 225, 30, '🤝'],
  [8, '大乘香客', 'Mahayana Pilgrim', 270, 35, '🏆'],
  [9, '飛升香客', 'Ascended Pilgrim', 300, 40, '🚀'],
] as const

test('the levels are those of the specification', () => {
  expect(
    LEVELS.map((one) => [one.level, one.nameZh, one.nameEn, one.minKm, one.minCheckins, one.icon]),
  ).toEqual(TABLE.map((row) => [...row]))
})

/** Smaller than any distance that is measured, larger than what a sum of kilometres is off by. */
const HAIR_KM = 1e-9

for (const [level, , , km, checkins] of TABLE)
  test(`level ${level} is reached at exactly ${km} km and ${checkins} check-ins, kept just above, and missed just below either`, () => {
    const below = level === 1 ? null : level - 1
    const rank = (km: number, checkins: number) => computeLevel(km, checkins)?.level ?? null
    for (const enoughKm of [km, km + HAIR_KM])
      for (const enough of [checkins, checkins + 1]) expect(rank(enoughKm, enough)).toBe(level)
    for (const anyKm of [km, km + HAIR_KM]) expect(rank(anyKm, checkins - 1)).toBe(below)
    if (km > 0) for (const any of [checkins, checkins + 1]) expect(rank(km - HAIR_KM, any)).toBe(below)
  })

test('the lower of kilometres and check-ins decides', () => {
  expect(computeLevel(1000, 12)?.level).toBe(3)
  expect(computeLevel(50, 1000)?.level).toBe(3)
  expect(computeLevel(1000, 1000)?.level).toBe(9)
})

test('below one check-in there is no level, however far the walk', () => {
  expect(computeLevel(300, 0)).toBeNull()
  expect(levelAnswer(300, 0)).toBeNull()
  expect(nextLevel(300, 0)).toMatchObject({ level: { level: 1 }, kmToGo: 0, checkinsToGo: 1 })
})

test('kilometres to go are rounded up: 0 only when nothing is missing', () => {
  const toGo = (km: number) => levelAnswer(km, 4)?.next?.kmToGo
  expect([14.9999, 14.999_999_9, 15 - HAIR_KM, 15, 12.2, 12.3, 12.3451].map(toGo)).toEqual([
    ...[0.001, 0.001, 0.001, 0, 2.8, 2.7, 2.655],
  ])
})

test('the response has what the next level takes, rounded; after the ninth there is none', () => {
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
