import type { Place } from '@palanquin/domain/geo'
import type { Point } from '@palanquin/domain/point'
import { DEPARTURE_MS } from './clock.ts'
import { type Random, seededRandom } from './random.ts'
import { displaced, PILGRIMAGE_ROUTE, routeAlong } from './route.ts'

export type WalkOptions = {
  seed: number
  route?: readonly Place[]
  startMs?: number
  hours?: number
  speedKmh?: number
  fixEveryS?: number
  /** Standard deviation of the error of a good fix, in metres. */
  noiseM?: number
  /** Rests of 10 to 40 minutes: the phone goes on reporting. */
  stops?: number
  /** A sleeping phone says nothing for 5 to 20 minutes while the walk goes on. */
  gaps?: number
  /** 3 to 8 minutes of fixes that are hundreds of metres off and say so. */
  tunnels?: number
  /** Single fixes 100 to 500 km away that claim to be good. */
  falseFixes?: number
  /** Rides of 10 to 20 minutes at RIDE_KMH. */
  rides?: number
}

export type Walk = {
  /** In the order of `recordedAt`, each time once. */
  points: Point[]
  /** What the legs really walked, along the route, without any error of measurement. */
  walkedKm: number
  riddenKm: number
}

const RIDE_KMH = 45
/** How much of a fix's error is still in the next one: phones drift, they do not jump about. */
const ERROR_MEMORY = 0.9
const MINUTE_MS = 60_000

type Span = { fromMs: number; toMs: number }

/** A pilgrim's day as a phone records it. The same options give the same points, to the last digit. */
export function walk(options: WalkOptions): Walk {
  const { seed, hours = 6, speedKmh = 4.5, fixEveryS = 10, startMs = DEPARTURE_MS, noiseM = 5 } = options
  const random = seededRandom(seed)
  const route = routeAlong(options.route ?? PILGRIMAGE_ROUTE)
  const endMs = startMs + hours * 60 * MINUTE_MS
  const plan = (count: number | undefined, [minMinutes, maxMinutes]: readonly [number, number]): Span[] =>
    Array.from({ length: count ?? 0 }, () => {
      const fromMs = random.between(startMs, endMs)
      return { fromMs, toMs: fromMs + random.between(minMinutes, maxMinutes) * MINUTE_MS }
    })
  const stops = plan(options.stops, [10, 40])
  const gaps = plan(options.gaps, [5, 20])
  const tunnels = plan(options.tunnels, [3, 8])
  const rides = plan(options.rides, [10, 20])

  const points: Point[] = []
  const done = { walkedKm: 0, riddenKm: 0 }
  const error = { northM: random.normal() * noiseM, eastM: random.normal() * noiseM }
  for (let atMs = startMs; atMs <= endMs; atMs += fixEveryS * 1_000) {
    const kmh = within(stops, atMs) ? 0 : within(rides, atMs) ? RIDE_KMH : speedKmh
    const place = route.placeAt(done.walkedKm + done.riddenKm)
    drift(error, { random, noiseM })
    if (!within(gaps, atMs)) {
      const inTunnel = within(tunnels, atMs)
      const off = inTunnel ? { northM: random.normal() * 300, eastM: random.normal() * 300 } : error
      const accuracy = inTunnel ? random.between(150, 1_000) : noiseM * random.between(1, 3)
      points.push(fix({ place: displaced(place, off), atMs, kmh, accuracy, random }))
    }
    if (kmh === RIDE_KMH) done.riddenKm += (kmh * fixEveryS) / 3_600
    else done.walkedKm += (kmh * fixEveryS) / 3_600
  }
  for (let i = 0; i < (options.falseFixes ?? 0); i++) misplaceOne(points, random)
  return { points, ...done }
}

const within = (spans: readonly Span[], atMs: number): boolean =>
  spans.some((span) => span.fromMs <= atMs && atMs < span.toMs)

/** Moves the error on as an AR(1) process whose deviation stays `noiseM`. */
function drift(
  error: { northM: number; eastM: number },
  { random, noiseM }: { random: Random; noiseM: number },
) {
  const freshM = noiseM * Math.sqrt(1 - ERROR_MEMORY ** 2)
  error.northM = error.northM * ERROR_MEMORY + random.normal() * freshM
  error.eastM = error.eastM * ERROR_MEMORY + random.normal() * freshM
}

function fix(given: { place: Place; atMs: number; kmh: number; accuracy: number; random: Random }): Point {
  const { place, atMs, kmh, accuracy, random } = given
  return {
    kind: 'track',
    recordedAt: Math.round(atMs),
    lat: decimals(place.lat, 7),
    lng: decimals(place.lng, 7),
    accuracy: decimals(accuracy, 1),
    speed: decimals(Math.max(0, kmh + (kmh === 0 ? 0 : random.normal() * 0.5)), 2),
    altitude: decimals(20 + random.normal() * 5, 1),
    heading: random.integer(0, 359),
    source: 'auto',
  }
}

function misplaceOne(points: Point[], random: Random): void {
  if (points.length === 0) return
  const index = random.integer(0, points.length - 1)
  const point = points[index]
  if (!point) return
  const awayM = random.between(100_000, 500_000)
  const angle = random.between(0, 2 * Math.PI)
  const place = displaced(point, { northM: awayM * Math.cos(angle), eastM: awayM * Math.sin(angle) })
  points[index] = { ...point, lat: decimals(place.lat, 7), lng: decimals(place.lng, 7), accuracy: 8 }
}

const decimals = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits
