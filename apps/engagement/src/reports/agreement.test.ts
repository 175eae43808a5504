import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TRAVEL_COEFFICIENTS } from '@palanquin/domain/carbon'
import { LEVELS } from '@palanquin/domain/level'
import { type Random, seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../test/buffer.ts'
import { csvRecords } from '../../test/csv.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 80
const SEED = 11
const SHOWN = [
  'displayName',
  'status',
  'surveyCompleted',
  'hasPhone',
  'distanceKm',
  'walkedKm',
  'motorizedKm',
  'checkins',
  'photos',
  'level',
  'carbon',
  'achievement',
  'lastSeenAt',
]

type Fields = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const random = seededRandom(SEED)
  for (let i = 0; i < PARTICIPANTS; i++) await invent(`U${i}`, random)
})
afterAll(() => service.close())

/** A random participant: kilometres at the bounds of a level, extreme answers, buffered check-ins. */
async function invent(userId: string, random: Random): Promise<void> {
  const level = LEVELS[random.integer(0, LEVELS.length - 1)] ?? { minKm: 0, minCheckins: 1 }
  const off = [-1e-9, -0.000_4, 0, 0.000_4, 1 / 3][random.integer(0, 4)] ?? 0
  if (random.next() < 0.8) {
    const motorizedKm = random.between(0, 1) * level.minKm
    await service.sql`
      INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_seen_at)
      VALUES (${userId}, 0, 1, ${Math.max(0, level.minKm - motorizedKm + off)}, ${motorizedKm},
        ${Math.max(0, level.minCheckins - random.integer(0, 2))}, 1, '{}', '2026-05-02T03:04:05.678Z')`
  }
  if (random.next() < 0.3)
    await service.sql`INSERT INTO media.photos (user_id, object_key) VALUES (${userId}, ${userId})`
  if (random.next() < 0.7) {
    const modes = random.shuffle([...Object.keys(TRAVEL_COEFFICIENTS), '牛車']).slice(0, random.integer(0, 4))
    const q3 = Object.fromEntries(modes.map((mode) => [mode, random.integer(0, 80_000_000) / 1000]))
    const [q5, q7, q8] = [random.integer(0, 60), random.integer(0, 1000), random.integer(0, 1000)]
    await service.data('/submit', { body: { userId, answers: { ...ANSWERS, q3, q5, q7, q8 } } })
  }
  if (random.next() < 0.5) await service.data('/user/phone', { body: { userId, phone: '0912345678' } })
  await service.data('/user/sync', { body: { userId, displayName: `=${userId}, "媽祖"` } })
  const buffer = bufferOf(service, userId)
  for (let left = random.integer(0, 3); left > 0; left--) await buffer.checkin()
}

const profiles = async () => {
  const all = await Promise.all(Array.from({ length: PARTICIPANTS }, (_, i) => service.data(`/user/U${i}`)))
  return new Map(all.map((profile) => [String(profile.userId), profile]))
}
const listed = async (path: string): Promise<Fields[]> => {
  const { items } = await service.data(`${path}?limit=1000`, { tier: 2 })
  return Array.isArray(items) ? items : []
}
const table = async (path: string) => {
  const response = await service.respond(`${path}?format=csv`, { tier: 2 })
  return csvRecords(await response.text())
}
const only = (fields: Fields | undefined, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields?.[name]]))

test('the list has the numbers of every profile', async () => {
  const known = await profiles()
  const items = await listed('/admin/users')
  expect(items).toHaveLength(PARTICIPANTS)
  for (const item of items) expect(only(item, SHOWN)).toEqual(only(known.get(String(item.userId)), SHOWN))
})

test('the table has the numbers of every profile', async () => {
  const known = await profiles()
  const rows = await table('/admin/users')
  expect(rows).toHaveLength(PARTICIPANTS)
  for (const row of rows) {
    const { level, carbon, ...profile } = known.get(row.userId ?? '') ?? {}
    const numbers: Fields = { ...profile, ...Object(carbon), level: Object(level).level ?? '' }
    for (const name of [
      'distanceKm',
      'walkedKm',
      'motorizedKm',
      'checkins',
      'photos',
      'level',
      'totalKg',
      'avoidedKg',
    ])
      expect([row.userId, name, row[name]]).toEqual([row.userId, name, String(numbers[name])])
    expect(row.displayName).toBe(`'=${row.userId}, "媽祖"`)
  }
})

test('the surveys have the carbon of the profile, in list and table', async () => {
  const known = await profiles()
  const surveyed = [...known.values()].filter(({ surveyCompleted }) => surveyCompleted === 1)
  const [items, rows] = [await listed('/admin/surveys'), await table('/admin/surveys')]
  expect([items.length, rows.length]).toEqual([surveyed.length, surveyed.length])
  for (const { userId, carbon } of items) expect(carbon).toEqual(known.get(String(userId))?.carbon)
  for (const { userId, totalKg } of rows)
    expect(totalKg).toBe(String(Object(known.get(userId ?? '')?.carbon).totalKg))
})

test('the level filter matches the displayed level', async () => {
  const known = await profiles()
  for (let level = 0; level <= LEVELS.length; level++) {
    const { items } = await service.data(`/admin/users?limit=1000&level=${level}`, { tier: 2 })
    for (const item of Array.isArray(items) ? items : []) {
      expect(Object(item.level).level ?? 0).toBe(level)
      expect(item.level).toEqual(known.get(item.userId)?.level)
    }
  }
})

test('while a flush moves check-ins out of the buffer, every page agrees with what was true before or after', async () => {
  const buffer = bufferOf(service, 'flushed')
  for (let i = 0; i < 12; i++) await buffer.checkin()
  const counts: unknown[] = []
  const look = async () => {
    const { items } = await service.data('/admin/users?q=flushed', { tier: 2 })
    counts.push(...(Array.isArray(items) ? items.map(({ checkins }) => checkins) : []))
  }
  for (let i = 0; i < 4; i++) {
    await Promise.all([look(), buffer.flush(3), look()])
    await look()
  }
  expect(new Set(counts)).toEqual(new Set([12]))
})
