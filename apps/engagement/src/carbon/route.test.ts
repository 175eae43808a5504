import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TRAVEL_COEFFICIENTS } from '@palanquin/domain/carbon'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import Value from 'typebox/value'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { CarbonAggregate, MODES, UNKNOWN_AS } from './aggregate.ts'
import { readSums } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 60
/** Every figure of a person is rounded to half a gram at most, and so is every sum. */
const ROUNDING_KG = (PARTICIPANTS + 1) * 0.000_5

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const carbon = async () => Value.Parse(CarbonAggregate, await service.data('/admin/carbon', { tier: 2 }))
const track = (userId: string, walkedKm: number, motorizedKm: number) => service.sql`
  INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, state, last_seen_at)
  VALUES (${userId}, 0, 1, ${walkedKm}, ${motorizedKm}, '{}', now())`

test('an empty event has a footprint of zero, in every mode of the specification', async () => {
  expect(await carbon()).toEqual({
    participants: 0,
    totalKg: 0,
    avoidedKg: 0,
    byComponent: { travelKg: 0, trackedKg: 0, waterKg: 0, recycleKg: 0, hotelKg: 0 },
    byMode: Object.keys(TRAVEL_COEFFICIENTS).map((mode) => ({ mode, participants: 0, km: 0, kg: 0 })),
    byDay: [],
  })
})

test('it is the sum of all profiles, by component and by mode', async () => {
  const random = seededRandom(20)
  const modes = [...Object.keys(TRAVEL_COEFFICIENTS), 'boat', '牛車', 'Bus']
  const own: Record<string, number>[] = []
  for (let i = 0; i < PARTICIPANTS; i++) {
    const userId = `person-${i}`
    if (i % 2 === 0) await track(userId, random.between(0, 400), random.between(0, 900))
    if (i % 3 !== 0) {
      const q3 = Object.fromEntries(
        random
          .shuffle(modes)
          .slice(0, i % 5)
          .map((mode) => [mode, Math.round(random.between(0, 80_000_000)) / 1000]),
      )
      const [q5, q7, q8] = [i % 61, (i * 17) % 1001, (i * 29) % 1001]
      await service.data('/submit', { body: { userId, answers: { ...ANSWERS, q3, q5, q7, q8 } } })
    } else await service.data('/user/sync', { body: { userId } })
    const profile = await service.data(`/user/${userId}`)
    own.push({ ...Object(profile.carbon) })
  }
  const sum = (figure: string) => own.reduce((total, one) => total + (one[figure] ?? Number.NaN), 0)
  const { participants, totalKg, avoidedKg, byComponent, byMode } = await carbon()
  // Of the 20 without a survey those who have not walked either are not counted.
  expect(participants).toBe(PARTICIPANTS - 10)
  for (const [figure, kg] of Object.entries({ totalKg, avoidedKg, ...byComponent }))
    expect(Math.abs(kg - sum(figure))).toBeLessThan(ROUNDING_KG)
  expect(Math.abs(Object.values(byComponent).reduce((a, b) => a + b) - totalKg)).toBeLessThan(0.003)
  expect(Math.abs(byMode.reduce((total, { kg }) => total + kg, 0) - byComponent.travelKg)).toBeLessThan(0.005)
})

test('without the rounding the sums agree to a thousandth of a gram', async () => {
  const { modes, walkedKm, motorizedKm } = await readSums(service.db, {
    modes: MODES,
    unknownAs: UNKNOWN_AS,
    timeZone: 'UTC',
  })
  const [own] = await service.sql`
    SELECT sum(walked_km) AS walked, sum(motorized_km) AS motorized,
      (SELECT sum((SELECT sum(value::float8) FROM jsonb_each_text(survey->'q3'))) FROM engagement.participants) AS km
    FROM tracking.tracks`
  expect(Math.abs(walkedKm - own?.walked)).toBeLessThan(1e-6)
  expect(Math.abs(motorizedKm - own?.motorized)).toBeLessThan(1e-6)
  expect(Math.abs(modes.reduce((total, { km }) => total + km, 0) - own?.km)).toBeLessThan(1e-6)
})

test('a mode outside the specification counts as bus, and its traveller once', async () => {
  const before = await carbon()
  const answers = { ...ANSWERS, q3: { Bus: 10, ferry: 20, 牛車: 30 } }
  await service.data('/submit', { body: { userId: 'by-many', answers } })
  await service.data('/submit', { body: { userId: 'by-ferry', answers: { ...ANSWERS, q3: 'ferry' } } })
  const rowOf = ({ byMode }: CarbonAggregate) => byMode.find(({ mode }) => mode === 'bus')
  const [was, is] = [rowOf(before), rowOf(await carbon())]
  expect(is?.participants).toBe((was?.participants ?? 0) + 2)
  expect((is?.km ?? 0) - (was?.km ?? 0)).toBeCloseTo(60, 3)
  expect((is?.kg ?? 0) - (was?.kg ?? 0)).toBeCloseTo(60 * TRAVEL_COEFFICIENTS.bus, 2)
  expect((await carbon()).byMode.map(({ mode }) => mode)).toEqual(Object.keys(TRAVEL_COEFFICIENTS))
})

test('replaced answers count instead of the first, and days are those of the time zone', async () => {
  const before = await carbon()
  await service.data('/submit', { body: { userId: 'by-ferry', answers: { ...ANSWERS, q3: 'walk', q5: 60 } } })
  const after = await carbon()
  expect(after.participants).toBe(before.participants)
  expect(after.byComponent.hotelKg - before.byComponent.hotelKg).toBeCloseTo((60 - ANSWERS.q5) * 8.85, 2)
  // 23:30 and 00:30 in Taipei, in two shards.
  await service.sql`INSERT INTO tracking.hours (shard, hour, points, walked_km, motorized_km) VALUES
    (0, '2026-05-01T15:00:00Z', 5, 4, 10), (1, '2026-05-01T15:00:00Z', 5, 1, 20), (0, '2026-05-01T16:00:00Z', 5, 0, 1)`
  expect((await carbon()).byDay).toEqual([
    { day: '2026-05-01', motorizedKm: 30, walkedKm: 5, kg: 3.604 },
    { day: '2026-05-02', motorizedKm: 1, walkedKm: 0, kg: 0.12 },
  ])
})

test('only a manager or above reads it', async () => {
  expect((await service.call('/admin/carbon', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/carbon')).status).toBe(401)
})
