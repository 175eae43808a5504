import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import type { AppPoint } from '@palanquin/domain/phone-apps/reading'
import { PHONE_REQUESTS, type PhoneFix } from '@palanquin/testing/phones/requests'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import { phonesOf } from '../test/phone-apps.ts'
import { useGateway } from '../test/use-gateway.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const deployment = useGateway()
const phones = phonesOf(deployment)
beforeEach(() => phones.answering())

const SEED = { seed: 20_261_123, numRuns: 40 }
/** Of degrees. */
const PLACE_DIGITS = 6
/** How apps round a speed, in km/h: to a hundredth of a knot at worst, or to whole km/h and m/s. */
const SPEED_ROUNDED = 0.0095
const SPEED_ROUNDED_BY: Partial<Record<PhoneApp, number>> = { owntracks: 0.51, overland: 1.81 }

/** Rounded, and never -0. */
const digits = (number: number, count: number) => Number(number.toFixed(count)) + 0
const between = (min: number, max: number, count: number) =>
  fc.double({ min, max, noNaN: true }).map((number) => digits(number, count))
const fixes = fc.array(
  fc.record(
    {
      lat: between(-89, 89, 7),
      lng: between(-179, 179, 7),
      recordedAt: fc.integer({ min: 1_700_000_000, max: 1_790_000_000 }).map((seconds) => seconds * 1_000),
      accuracy: between(0.1, 900, 1),
      speed: between(0, 120, 2),
      altitude: between(-50, 3_900, 1),
      heading: fc.integer({ min: 0, max: 359 }),
      battery: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: ['lat', 'lng', 'recordedAt'] },
  ),
  { minLength: 1, maxLength: 12 },
)

/** What a fix has become on its way, for an app that cannot say all of it. */
function asSaid(app: PhoneApp, { battery: _, ...fix }: PhoneFix): Omit<PhoneFix, 'battery'> {
  const { accuracy, speed, heading } = fix
  // Whole metres and km/h, 0 for an unknown speed; no point is exact to the metre below.
  if (app === 'owntracks')
    return {
      ...fix,
      speed: Math.round(speed ?? 0),
      accuracy: typeof accuracy === 'number' ? Number(accuracy.toFixed(0)) || null : null,
    }
  // No accuracy; 0 for what is unknown.
  if (app === 'opengts') return { ...fix, accuracy: null, speed: speed ?? 0, heading: heading ?? 0 }
  return fix
}

test('whatever a phone measures, each of the apps brings it to tracking as it was measured', async () => {
  const check = async (app: PhoneApp, sent: readonly PhoneFix[]) => {
    deployment.services.tracking.calls.length = 0
    const token = phones.token()
    for (const request of PHONE_REQUESTS[app](token, sent))
      expect([app, (await phones.send(request)).status]).toEqual([app, 200])
    const points = phones.deliveries().flatMap((delivery) => delivery.points) as AppPoint[]
    expect([app, points.length]).toEqual([app, sent.length])
    for (const [n, fix] of sent.entries()) {
      const { lat, lng, speed, ...rest } = asSaid(app, fix)
      const { lat: gotLat = Number.NaN, lng: gotLng = Number.NaN, speed: gotSpeed, ...got } = points[n] ?? {}
      expect(gotLat).toBeCloseTo(lat, PLACE_DIGITS)
      expect(gotLng).toBeCloseTo(lng, PLACE_DIGITS)
      if (speed === undefined || speed === null) expect([app, gotSpeed]).toEqual([app, undefined])
      else
        expect(Math.abs((gotSpeed ?? Number.NaN) - speed)).toBeLessThan(
          SPEED_ROUNDED_BY[app] ?? SPEED_ROUNDED,
        )
      const known = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)
      expect<object>({ app, ...got }).toEqual({ app, ...Object.fromEntries(known) })
    }
  }
  await fc.assert(
    fc.asyncProperty(fixes, async (sent) => {
      for (const app of PHONE_APPS) await check(app, sent)
    }),
    SEED,
  )
})
