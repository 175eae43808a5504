import { afterAll, beforeAll, expect, test } from 'bun:test'
import { LEVELS } from '@palanquin/domain/rank'
import { round3 } from '@palanquin/domain/round'
import { until } from '@palanquin/testing/until'
import { createSlots } from '../demo/send.ts'
import { setOut, type ThrowawayStack } from '../throwaway-stack.ts'

const MINUTE_MS = 60_000
/** A kilometre in twelve minutes is five an hour: on foot. */
const KM_MS = 12 * MINUTE_MS
/** One degree of a meridian on the mean Earth. */
const KM_PER_DEGREE = (Math.PI / 180) * 6371.0088
const START = { lat: 22, lng: 120.5 }
/** Check-ins at places of their own, all within some metres: they count, and add no distance. */
const STEP_DEGREES = 0.00001
const STEPS_A_ROW = 7
/** What answers show of kilometres: a metre. */
const METRE_KM = 0.001
const REQUESTS_AT_ONCE = 8

let journey: ThrowawayStack
beforeAll(async () => {
  // Five check-ins a minute let nobody past the second level here.
  journey = await setOut({ RATE_LIMITS: 'off' })
})
afterAll(() => journey.close())

/** Walks so far north, after so many check-ins at the start. */
async function send(userId: string, { km, checkins }: { km: number; checkins: number }): Promise<void> {
  const startMs = Date.now() - (km + 2) * KM_MS
  for (let i = 0; i < checkins; i++) {
    const lat = START.lat + (i % STEPS_A_ROW) * STEP_DEGREES
    const lng = START.lng + Math.floor(i / STEPS_A_ROW) * STEP_DEGREES
    const { status } = await journey.api.post('/checkin', {
      userId,
      lat,
      lng,
      recordedAt: startMs + i * 1000,
    })
    expect(status).toBe(202)
  }
  // The first point stands where the first check-in was made; the others follow each kilometre or a little less.
  const segments = Math.ceil(km)
  const points = Array.from({ length: segments + 1 }, (_, i) => ({
    lat: START.lat + (segments === 0 ? 0 : (i * km) / segments) / KM_PER_DEGREE,
    lng: START.lng,
    recordedAt: startMs + MINUTE_MS + Math.round(i * KM_MS),
  }))
  expect((await journey.api.post('/track/sync', { userId, points })).status).toBe(200)
}

test('each of the nine levels is reached at its kilometres and check-ins, and missed a metre or a check-in below', async () => {
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
        const profile = await journey.api.profile(userId)
        return profile.checkins === checkins && profile.distanceKm === round3(km) && profile
      },
      { what: `${userId} with ${checkins} check-ins and ${km} km` },
    )
    const { nameZh, nameEn, icon } = LEVELS[level - 1] ?? {}
    if (level === 0) expect(profile.level).toBeNull()
    else expect(profile.level).toMatchObject({ level, nameZh, nameEn, icon })
  }
}, 120_000)
