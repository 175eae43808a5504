import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { trackOf } from '../distance'
import type { Point } from '../point'

// Real walks lie beside the repository, not in it.
const folder = join(import.meta.dir, '../../../../../shared/data')
const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(gpx|json)$/.test(name)) : []
const absent = files.length === 0

type Reading = { lat: number; lng: number; ms: number; accuracy?: number; speed?: number }
type Sum = { walkedKm: number; motorizedKm: number }

/** The rules once more, written as the contract reads. */
function naive(readings: Reading[]): Sum {
  const seen = new Set<number>()
  const rest = readings
    .toSorted((a, b) => a.ms - b.ms || (isBetter(a, b) ? -1 : 1))
    .filter((reading) => !seen.has(reading.ms) && seen.add(reading.ms))
    .filter(({ speed = 0, accuracy = 0 }) => speed <= 120 && accuracy <= 100)
  const sum: Sum = { walkedKm: 0, motorizedKm: 0 }
  let anchor = rest.shift()
  let noise: Reading[] = []
  while (anchor !== undefined) {
    const next = rest.shift()
    if (next === undefined) break
    const kmh = speedKmh(anchor, next)
    const km = arcKm(anchor, next)
    const hours = (next.ms - anchor.ms) / 3_600_000
    if (kmh > 300) {
      noise.push(next)
      const row: Reading[] = noise.slice(-4)
      if (row.length < 4 || row.some((a, i) => row.some((b, j) => i < j && speedKmh(a, b) > 300))) continue
      anchor = row.shift()
      rest.unshift(...row)
      noise = []
      continue
    }
    noise = []
    if (km * 1000 < 10 || hours * 3600 < 30) continue
    if (kmh <= 15) sum.walkedKm += km
    else sum.motorizedKm += km
    anchor = next
  }
  return sum
}

/** Of two readings of one time the surer, then the southern, the western, the slower one. */
function isBetter(a: Reading, b: Reading): boolean {
  const far = Number.POSITIVE_INFINITY
  const [one, other] = [a, b].map(({ accuracy = far, lat, lng, speed = far }) => [accuracy, lat, lng, speed])
  const at = one?.findIndex((value, index) => value !== other?.[index]) ?? -1
  return at >= 0 && (one?.[at] ?? 0) < (other?.[at] ?? 0)
}

function speedKmh(a: Reading, b: Reading): number {
  const km = arcKm(a, b)
  if (km === 0) return 0
  return a.ms === b.ms ? Number.POSITIVE_INFINITY : km / ((b.ms - a.ms) / 3_600_000)
}

/** The angle between two vectors from the centre of the Earth. */
function arcKm(a: Reading, b: Reading): number {
  if (a.lat === b.lat && a.lng === b.lng) return 0
  const [ax, ay, az] = vector(a)
  const [bx, by, bz] = vector(b)
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return 6371.0088 * Math.atan2(cross, ax * bx + ay * by + az * bz)
}

function vector({ lat, lng }: Reading): [number, number, number] {
  const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

function pointsOf(readings: Reading[]): Point[] {
  return readings.map(({ lat, lng, ms, accuracy, speed }) => ({
    kind: 'track',
    recordedAt: ms,
    lat,
    lng,
    accuracy: accuracy ?? null,
    speed: speed ?? null,
    altitude: null,
    heading: null,
    source: 'auto',
  }))
}

function readingsOf(name: string): Reading[] {
  const text = readFileSync(join(folder, name), 'utf8')
  return name.endsWith('.gpx') ? readingsOfGpx(text) : readingsOfJson(text)
}

function readingsOfGpx(text: string): Reading[] {
  const readings: Reading[] = []
  for (const [, attributes = '', body = ''] of text.matchAll(/<trkpt([^>]*)>(.*?)<\/trkpt>/gs)) {
    const time = /<time>(.*?)<\/time>/.exec(body)?.[1]
    if (time === undefined) continue
    const degrees = (key: string) => Number(new RegExp(`${key}="([^"]+)"`).exec(attributes)?.[1])
    readings.push({ lat: degrees('lat'), lng: degrees('lon'), ms: Date.parse(time) })
  }
  return readings
}

function readingsOfJson(text: string): Reading[] {
  const fixes: { ts: number; lat: number; lon: number; accuracy: number; speed_mps: number }[] =
    JSON.parse(text)
  return fixes.map(({ ts, lat, lon, accuracy, speed_mps }) => ({
    lat,
    lng: lon,
    ms: Math.floor(ts * 1000),
    accuracy,
    speed: speed_mps * 3.6,
  }))
}

function expectSame(readings: Reading[]): Sum {
  const track = trackOf(pointsOf(readings))
  const plain = naive(readings)
  expect(track.walkedKm).toBeCloseTo(plain.walkedKm, 6)
  expect(track.motorizedKm).toBeCloseTo(plain.motorizedKm, 6)
  return plain
}

const title = 'real recordings have the distance that a plain reading of the rules gives, in any order'
test.skipIf(absent)(absent ? `${title} (skipped: no ../shared/data beside the project)` : title, () => {
  for (const name of files) {
    const readings = readingsOf(name)
    expect(readings.length).toBeGreaterThan(100)
    const { walkedKm, motorizedKm } = expectSame(readings)
    expect(walkedKm + motorizedKm).toBeGreaterThan(1)
    expect(trackOf(pointsOf(readings.toReversed()))).toEqual(trackOf(pointsOf(readings)))
  }
})

test('generated recordings, erratic ones too, have the distance of a plain implementation of the rules', () => {
  const reading = fc.record(
    {
      // Odd numbers, so that no distance or speed lies on a bound by construction and rounding cannot decide.
      lat: fc.oneof(
        fc.integer({ min: 0, max: 400 }).map((n) => 24.0371 + n * 0.000_137),
        fc.constantFrom(10.13, 60.77),
      ),
      lng: fc.integer({ min: 0, max: 40 }).map((n) => 120.6113 + n * 0.000_731),
      ms: fc.integer({ min: 0, max: 400 }).map((n) => n * 7919),
      accuracy: fc.constantFrom(3, 100, 101),
      speed: fc.constantFrom(0, 120, 121),
    },
    { requiredKeys: ['lat', 'lng', 'ms'] },
  )
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 60 }), (readings) => {
      expectSame(readings)
    }),
    { seed: 14, numRuns: 2000 },
  )
})
