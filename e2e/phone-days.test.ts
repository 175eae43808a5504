import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { distanceKm, trackOf } from '@palanquin/domain/distance'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { PHONE_REQUESTS, type PhoneRequest } from '@palanquin/testing/phones/requests'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { walk } from '@palanquin/testing/walk'
import { openPhones, type Phones, untilTaken } from './phones.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let stack: ThrowawayStack
let phones: Phones
beforeAll(async () => {
  stack = await startThrowawayStack({})
  phones = await openPhones(stack)
})
afterAll(() => stack.close())

const HOURS = 9
const HOUR_MS = 3_600_000
/** A fix of every minute that ended an hour ago, with rests and silences. */
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - (HOURS + 1) * HOUR_MS
const DAY = walk({ seed: 20, hours: HOURS, fixEveryS: 60, startMs, stops: 2, gaps: 2 }).points
/** Apps round the place to some 2 cm and leave out the accuracy; a day of 40 km has a thousand steps. */
const KM_TOLERANCE = 0.01
const COLOTA_AT_ONCE = 10
/** Below what an address may write in a minute. */
const CHECKINS_MAX = 1_000

/** Requests one after the other, or several at a time; the statuses of the answers. */
async function inARow(requests: readonly PhoneRequest[], atOnce: number): Promise<number[]> {
  const left = [...requests]
  const statuses: number[] = []
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const request = next
      statuses.push((await untilTaken(() => phones.send(request))).status)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return statuses
}

test('a long day, sent at its end as each app sends what waited, is the same kilometres, and no check-in waits behind it', async () => {
  const whole = distanceKm(trackOf(DAY))
  expect(DAY.length).toBeWithin(450, 550)
  expect(whole).toBeGreaterThan(30)
  let sending = true
  const checkins: number[] = []
  const others = (async () => {
    for (let n = 0; sending && n < CHECKINS_MAX; n++)
      checkins.push(
        (await stack.api.post('/checkin', { userId: `other-${n}`, lat: 24 + n / 1_000, lng: 120.5 })).status,
      )
  })()
  const send = async (app: PhoneApp) => {
    const token = phones.participants.find(({ app: its }) => its === app)?.token ?? ''
    const requests = PHONE_REQUESTS[app](token, DAY)
    const statuses = await inARow(requests, app === 'colota' ? COLOTA_AT_ONCE : 1)
    expect([app, new Set(statuses)]).toEqual([app, new Set([200])])
  }
  await Promise.all(PHONE_APPS.map(send))
  sending = false
  await others
  expect(new Set(checkins)).toEqual(new Set([202]))
  await stack.api.flush()
  expect(await phones.points()).toEqual(Object.fromEntries(PHONE_APPS.map((app) => [app, DAY.length])))
  for (const app of PHONE_APPS) {
    const { distanceKm: km } = await stack.api.profile(`U-${app}`)
    expect([app, Math.abs(km - whole) < KM_TOLERANCE]).toEqual([app, true])
  }
  // All of it again, as an app does that missed the answers: nothing counts twice.
  await Promise.all((['overland', 'phonetrack'] as const).map(send))
  await stack.api.flush()
  for (const app of ['overland', 'phonetrack'])
    expect(Math.abs((await stack.api.profile(`U-${app}`)).distanceKm - whole)).toBeLessThan(KM_TOLERANCE)
})

test('GPSLogger fetches its settings by its link, once, and sends by them', async () => {
  const { setup } = await phones.issue('U-logs', 'gpslogger')
  const [, address = ''] = /^gpslogger:\/\/properties\/(.+)$/.exec(setup.link ?? '') ?? []
  const path = new URL(address).pathname
  const { status: fetched, body } = await phones.send({ path, init: {} })
  expect(fetched).toBe(200)
  expect((await phones.send({ path, init: {} })).status).toBe(404)
  const template = /^log_customurl_url=(.+)$/m.exec(body)?.[1] ?? ''
  const { lat, lng, recordedAt } = phones.nextFix()
  const said = {
    LAT: lat,
    LON: lng,
    TIME: new Date(recordedAt).toISOString(),
    ACC: 8,
    ALT: 20,
    SPD: 1,
    DIR: 0,
  }
  const sent = new URL(
    template.replace(/%([A-Z]+)/g, (_, name: keyof typeof said) => encodeURIComponent(said[name] ?? '0.0')),
  )
  phones.tokens.push(sent.pathname.split('/').at(-1) ?? '')
  const answer = await phones.send({ path: sent.pathname + sent.search, init: { method: 'POST' } })
  expect(answer).toEqual({ status: 200, body: '' })
  await until(async () => (await phones.deviceOf('U-logs'))?.pointsToday === 1, { what: 'its point' })
})
