import type { Page } from 'playwright-core'
import { BAISHATUN } from './seed.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const POINTS_PER_CALL = 500
const CALLS_AT_ONCE = 4
/** Eleven hours of walking a day, in steps of a constant time. */
const WALK_MS = 11 * HOUR_MS
const SOUTH_PER_DAY = 0.2
const WEST_PER_DAY = 0.06

/** The first morning at five in Taiwan, so that the ninth evening is before now. */
const FIRST_MS = Math.floor((Date.now() - 10 * DAY_MS) / DAY_MS) * DAY_MS - 3 * HOUR_MS

/** Where and when a walk of nine days is: some 23 km south every day, from five to four, with an hour's gap at noon. */
export const NINE_DAYS = {
  days: 9,
  /** @param part of the day's walk, 0 to 1 */
  placeAt: (day: number, part: number) => ({
    lat: BAISHATUN.lat - SOUTH_PER_DAY * (day + part),
    lng: BAISHATUN.lng - WEST_PER_DAY * (day + part) + 0.004 * Math.sin(part * 40),
  }),
  timeAt: (day: number, part: number): number => Math.round(FIRST_MS + day * DAY_MS + part * WALK_MS),
}

/** Sends the walk as the page would: so many points a day, by the session of the page's person. */
export async function sendNineDays(
  page: Page,
  { origin, userId, pointsPerDay = 120 }: { origin: string; userId: string; pointsPerDay?: number },
): Promise<void> {
  const points = Array.from({ length: NINE_DAYS.days * pointsPerDay }, (_, index) => {
    const [day, part] = [Math.floor(index / pointsPerDay), (index % pointsPerDay) / (pointsPerDay - 1)]
    return { ...NINE_DAYS.placeAt(day, part), recordedAt: NINE_DAYS.timeAt(day, part), accuracy: 8, part }
  })
  const walked = points.filter(({ part }) => part < 0.5 || part > 0.59).map(({ part: _, ...point }) => point)
  const calls = Array.from({ length: Math.ceil(walked.length / POINTS_PER_CALL) }, (_, at) =>
    walked.slice(at * POINTS_PER_CALL, (at + 1) * POINTS_PER_CALL),
  )
  for (let at = 0; at < calls.length; at += CALLS_AT_ONCE)
    await Promise.all(
      calls.slice(at, at + CALLS_AT_ONCE).map(async (batch) => {
        const sent = await page.request.post(`${origin}/api/event/track/sync`, {
          headers: { origin },
          data: { userId, points: batch },
          ignoreHTTPSErrors: true,
        })
        if (sent.status() !== 200) throw new Error(`the track was answered ${sent.status()}`)
      }),
    )
}
