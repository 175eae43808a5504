import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createSlots } from '@palanquin/demo/send'
import { LEVELS } from '@palanquin/domain/level'
import { round3 } from '@palanquin/domain/round'
import type { LineStub } from '@palanquin/line-simulator/stub'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { botTexts, cardKeyOf, readersOf } from './agreement.ts'
import { startWithLine } from './with-line.ts'

const MINUTE_MS = 60_000
/** A kilometre in twelve minutes is five an hour: on foot. */
const KM_MS = 12 * MINUTE_MS
/** One degree of a meridian on the mean Earth. */
const KM_PER_DEGREE = (Math.PI / 180) * 6371.0088
const START = { lat: 22, lng: 120.5 }
/** Check-ins at different places within a few metres: they count, and add no distance. */
const STEP_DEGREES = 0.00001
const STEPS_A_ROW = 7
/** Kilometres in responses are precise to a metre. */
const METRE_KM = 0.001
const REQUESTS_AT_ONCE = 8

const EVENT = { nameZh: '進香', nameEn: 'A walk', dates: '2026' }

let line: LineStub
let stack: ThrowawayStack
let close: () => Promise<void>
beforeAll(async () => {
  ;({ line, stack, close } = await startWithLine({
    // Five check-ins a minute would stop everyone at the second level.
    RATE_LIMITS: 'off',
    EVENT_NAME_ZH: EVENT.nameZh,
    EVENT_NAME_EN: EVENT.nameEn,
    EVENT_DATES: EVENT.dates,
  }))
})
afterAll(() => close())

/** Walks that far north, after that many check-ins at the start. */
async function send(userId: string, { km, checkins }: { km: number; checkins: number }): Promise<void> {
  const startMs = Date.now() - (km + 2) * KM_MS
  for (let i = 0; i < checkins; i++) {
    const lat = START.lat + (i % STEPS_A_ROW) * STEP_DEGREES
    const lng = START.lng + Math.floor(i / STEPS_A_ROW) * STEP_DEGREES
    const { status } = await stack.api.post('/checkin', { userId, lat, lng, recordedAt: startMs + i * 1000 })
    expect(status).toBe(202)
  }
  // The first point is where the first check-in was made.
  const segments = Math.ceil(km)
  const points = Array.from({ length: segments + 1 }, (_, i) => ({
    lat: START.lat + (segments === 0 ? 0 : (i * km) / segments) / KM_PER_DEGREE,
    lng: START.lng,
    recordedAt: startMs + MINUTE_MS + Math.round(i * KM_MS),
  }))
  expect((await stack.api.post('/track/sync', { userId, points })).status).toBe(200)
}

test(
  'each of the nine levels is reached at its kilometres and check-ins, and missed a metre or a check-in below',
  async () => {
    const walks = LEVELS.flatMap(({ level, minKm, minCheckins: checkins }) => {
      const below = level - 1
      if (minKm === 0)
        return [
          { userId: 'reached-1', level, km: 0, checkins },
          { userId: 'a-check-in-less-1', level: below, km: 1, checkins: checkins - 1 },
        ]
      return [
        { userId: `reached-${level}`, level, km: minKm + METRE_KM, checkins },
        { userId: `a-check-in-more-${level}`, level, km: minKm + METRE_KM, checkins: checkins + 1 },
        { userId: `a-check-in-less-${level}`, level: below, km: minKm + METRE_KM, checkins: checkins - 1 },
        { userId: `a-metre-less-${level}`, level: below, km: minKm - METRE_KM, checkins },
      ]
    })
    const slots = createSlots(REQUESTS_AT_ONCE)
    await Promise.all(walks.map((walk) => slots(() => send(walk.userId, walk))))
    for (const { userId, level, km, checkins } of walks) {
      const profile = await until(
        async () => {
          const profile = await stack.api.profile(userId)
          return profile.checkins === checkins && profile.distanceKm === round3(km) && profile
        },
        { what: `${userId} with ${checkins} check-ins and ${km} km` },
      )
      const { nameZh, nameEn, icon } = LEVELS[level - 1] ?? {}
      if (level === 0) expect(profile.level).toBeNull()
      else expect(profile.level).toMatchObject({ level, nameZh, nameEn, icon })
    }
  },
  TEST_TIMEOUT_MS,
)

/** Three decimals are truncated: rounding twice, or summing rounded numbers, would show another number. */
const WALKED_KM = 15.4567
const CHECKINS = 6
const DRIVEN_KM = 7.0004
const DRIVEN_SEGMENTS = 7
const ANSWERS = {
  q1: [],
  q2: [],
  q3: { hsr: 330.3333, 牛車: 12.1 },
  q4: [],
  q5: 3,
  q6: 'mixed',
  q7: 11,
  q8: 7,
  q9: 1,
}
/** The tolerance for a sum of rounded kilograms. */
const ROUNDING_KG = 0.0005

/** After the walk and a rest: a car ride, a kilometre a minute. The first leg is as slow as walking. */
async function drive(userId: string): Promise<void> {
  const points = Array.from({ length: DRIVEN_SEGMENTS }, (_, i) => ({
    lat: START.lat + (WALKED_KM + ((i + 1) * DRIVEN_KM) / DRIVEN_SEGMENTS) / KM_PER_DEGREE,
    lng: START.lng,
    recordedAt: Date.now() - (DRIVEN_SEGMENTS + 2 - i) * MINUTE_MS,
  }))
  expect((await stack.api.post('/track/sync', { userId, points })).status).toBe(200)
}

test(
  'level, distance and carbon are the same in profile, lists, CSV, totals, map, card and chat',
  async () => {
    const { api } = stack
    const { userId } = line.control.people.add({ displayName: '林媽祖' })
    await send(userId, { km: WALKED_KM, checkins: CHECKINS })
    await drive(userId)
    const survey = { userId, answers: ANSWERS, phone: '0912-345-678' }
    expect((await api.post('/submit', survey)).status).toBe(200)
    // The first message registers the participant: the name comes from the platform.
    await line.control.send(line.control.from(userId).text('說明'))
    const profile = await until(
      async () => {
        const found = await api.profile(userId)
        return found.motorizedKm > DRIVEN_KM - 2 && found.checkins === CHECKINS && found.displayName && found
      },
      { what: 'the flushed walk' },
    )
    const { level, distanceKm, walkedKm, motorizedKm, checkins, carbon } = profile
    expect(level).toMatchObject({ level: 2, nameZh: '築基香客' })
    expect(Math.abs(distanceKm - WALKED_KM - DRIVEN_KM)).toBeLessThan(METRE_KM)
    expect(Math.abs(carbon.trackedKg - motorizedKm * 0.12013)).toBeLessThan(METRE_KM)

    const readers = readersOf(stack)
    const [listed] = await readers.list(`&q=${userId}`)
    expect(listed).toMatchObject({ ...profile, phone: '+886912345678' })
    const row = await readers.csv(userId)
    const figures = { distanceKm, walkedKm, motorizedKm, checkins, level: 2, ...carbon }
    expect(row).toMatchObject(
      Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)])),
    )
    expect(await readers.survey(userId)).toEqual(carbon)
    // The process that flushed shows it at once; other copies check for changes each second.
    await until(async () => (await readers.map(userId)) === level?.level, {
      what: 'the same level on the map',
    })
    expect(await readers.card(userId)).toBe(await cardKeyOf(profile, EVENT))

    // No one else answered the survey or drove.
    const { totalKg, avoidedKg, byComponent, byDay } = await readers.aggregate()
    const { totalKg: ownTotalKg, avoidedKg: ownAvoidedKg, ...own } = carbon
    expect({ totalKg, byComponent }).toEqual({ totalKg: ownTotalKg, byComponent: own })
    const participants = await readers.list()
    const avoided = participants.map((one) => one.carbon.avoidedKg)
    expect(avoided).toContain(ownAvoidedKg)
    const avoidedByAllKg = avoided.reduce((sum, kg) => sum + kg, 0)
    expect(Math.abs(avoidedKg - avoidedByAllKg)).toBeLessThan(ROUNDING_KG * (avoided.length + 1))
    expect(round3(byDay.reduce((sum, { kg }) => sum + kg, 0))).toBe(carbon.trackedKg)

    const messages = await botTexts(line, userId)
    for (const text of [
      `${level?.icon} ${level?.nameZh}`,
      `${distanceKm} 公里`,
      `${checkins} 次`,
      `${carbon.avoidedKg} 公斤`,
    ])
      expect(messages).toContain(text)
  },
  TEST_TIMEOUT_MS,
)
