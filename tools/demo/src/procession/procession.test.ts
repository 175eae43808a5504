import { expect, test } from 'bun:test'
import { carryingFix, type DeviceFix } from '@palanquin/domain/beacon'
import { greatCircleKm } from '@palanquin/domain/geo'
import { NoticeBody, PlaceBody } from '@palanquin/domain/guide'
import Value from 'typebox/value'
import { fixesOf, planCarriers } from './carriers.ts'
import { NOTICE, PLACES } from './guide.ts'
import { ROUTE_DOCUMENT, routePlaces } from './route.ts'

const beginMs = Date.parse('2026-04-17T14:00:00Z')
const [BAISHATUN, BEIGANG] = [
  { lat: 24.5663, lng: 120.7081 },
  { lat: 23.5686, lng: 120.3052 },
]

test('the route leads from Baishatun to Beigang and back, in a few kilobytes', () => {
  const places = routePlaces()
  for (const [index, expected] of [
    [0, BAISHATUN],
    [-1, BAISHATUN],
  ] as const)
    expect(places.at(index)).toEqual(expected)
  expect(places).toContainEqual(BEIGANG)
  const lengthKm = places.reduce(
    (sum, to, index) => sum + greatCircleKm({ from: places[index - 1] ?? to, to }),
    0,
  )
  expect(lengthKm).toBeWithin(250, 400)
  expect(JSON.stringify(ROUTE_DOCUMENT).length).toBeLessThan(10_000)
})

test('the places and the notice are as the API takes them', () => {
  expect(PLACES.length).toBeGreaterThanOrEqual(10)
  expect(PLACES.filter((place) => !Value.Check(PlaceBody, place))).toEqual([])
  expect(Value.Check(NoticeBody, NOTICE)).toBe(true)
})

test('in five minutes each phone carries the palanquin once, in turn, and it never goes back', () => {
  const lastsMs = 300_000
  const turns = planCarriers({ lastsMs, speed: 600 })
  const carriers: string[] = []
  const latest = new Map<string, DeviceFix>()
  for (let atMs = 7_000; atMs <= lastsMs; atMs += 7_000) {
    for (const turn of turns.filter(({ silentAtMs }) => atMs <= silentAtMs))
      for (const fix of fixesOf(turn, { fromMs: atMs - 7_000, toMs: atMs, beginMs }))
        latest.set(turn.userId, {
          deviceId: turn.userId,
          recordedAtMs: fix.recordedAt,
          accuracyM: fix.accuracy,
          lat: fix.lat,
          lng: fix.lng,
        })
    const shown = carryingFix([...latest.values()], {
      carrier: carriers.at(-1) ?? null,
      nowMs: beginMs + atMs,
    })
    if (shown && shown.deviceId !== carriers.at(-1)) carriers.push(shown.deviceId)
  }
  expect(carriers).toEqual(['demo-carrier-1', 'demo-carrier-2', 'demo-carrier-3'])
})

test('the fixes bear the present time and lie where the palanquin is at the speed of the demo', () => {
  const [turn] = planCarriers({ lastsMs: 120_000, speed: 600 })
  if (!turn) throw new Error('there are three')
  const fixes = fixesOf(turn, { fromMs: 53_000, toMs: 60_000, beginMs })
  expect(fixes.at(-1)).toMatchObject({ recordedAt: beginMs + 60_000, accuracy: 6 })
  expect(fixes.map(({ recordedAt }) => recordedAt)).toEqual(
    fixes.map(({ recordedAt }) => recordedAt).toSorted((a, b) => a - b),
  )
  const walkedKm = greatCircleKm({ from: BAISHATUN, to: fixes.at(-1) ?? BAISHATUN })
  expect(walkedKm).toBeWithin(35, 40.1)
})
