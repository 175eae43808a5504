import type { Point } from '@palanquin/domain/point'
import { type Random, seededRandom } from '@palanquin/testing/random'
import { walk } from '@palanquin/testing/walk'
import { BAISHATUN_ROUTE } from './route.ts'
import { type PlannedSurvey, planSurvey } from './survey.ts'

/** The fields of a point that a phone sends. */
export type SentPoint = Pick<
  Point,
  'lat' | 'lng' | 'recordedAt' | 'accuracy' | 'speed' | 'altitude' | 'heading'
>

/** A request of a pilgrim's phone, in milliseconds after the start of the demo. */
export type Action = { atMs: number } & (
  | { kind: 'checkin'; point: SentPoint }
  | { kind: 'sync'; points: SentPoint[] }
)

export type Pilgrim = {
  userId: string
  displayName: string
  language: 'zh-TW' | 'en'
  consent: boolean
  /** Survey answers; null for pilgrims without a survey. */
  survey: PlannedSurvey | null
  actions: Action[]
  /** The true distance, without measurement errors. */
  walkedKm: number
}

export type Time = {
  /** Start and duration of the demo in wall time. */
  beginMs: number
  lastsMs: number
  /** Seconds of walking per second of the demo. */
  speed: number
}

const HOUR_MS = 3_600_000
/** At 100 bytes a point, a sync stays well below the gateway's 102,400. */
export const SYNC_POINTS_MAX = 500
/** Wall time between two syncs of one phone; the limit is ten a minute. */
const SYNC_EVERY_MS = { min: 7_500, max: 11_000 }
/** Walking time between check-ins; in wall time the limit is five a minute. */
const CHECKIN_EVERY_MS = { min: 1 * HOUR_MS, max: 2.5 * HOUR_MS }
const CHECKIN_APART_MS_MIN = 13_000
/** A few pilgrims tap the button repeatedly: repeats and the limit are part of a real day. */
const EAGER_SHARE = 0.04
const EAGER_TAPS = 7
const RESENT_SHARE = 0.05
const LATE_SHARE = 0.05
const NO_CONSENT_SHARE = 0.1
const SURVEY_SHARE = 0.3
const SURNAMES = [...'陳林黃張李王吳劉蔡楊許鄭謝洪郭']
const GIVEN_NAMES = [
  '阿梅',
  '志明',
  '春嬌',
  '淑芬',
  '家豪',
  '雅婷',
  '俊傑',
  '美玲',
  '建宏',
  '怡君',
  'Emily',
  'Jason',
]

/** Converts demo time to walking time; both end together, so that no point is in the future. */
const walkingMs = ({ beginMs, lastsMs, speed }: Time, atMs: number): number =>
  beginMs + lastsMs - (lastsMs - atMs) * speed

/** The plan of a pilgrim's whole day; a function of seed and index. */
export function planPilgrim(
  prefix: string,
  index: number,
  { seed, time }: { seed: number; time: Time },
): Pilgrim {
  const random = seededRandom(seed * 100_003 + index)
  const hours = (time.lastsMs * time.speed) / HOUR_MS
  const { points, walkedKm, riddenKm } = walk({
    seed: seed * 100_003 + index,
    route: BAISHATUN_ROUTE.slice(random.integer(0, BAISHATUN_ROUTE.length - 3)),
    startMs: walkingMs(time, 0),
    hours,
    speedKmh: random.between(2.5, 5.5),
    fixEveryS: random.integer(30, 90),
    noiseM: random.between(4, 12),
    stops: Math.round(hours * random.between(0.3, 0.9)),
    gaps: Math.round(hours * 0.2),
    tunnels: random.integer(0, 2),
    falseFixes: random.integer(0, 2),
    rides: random.next() < 0.15 ? 1 : 0,
  })
  const recorded = points.map(sent)
  return {
    userId: `${prefix}-${String(index + 1).padStart(4, '0')}`,
    displayName: nameOf(random),
    language: random.next() < 0.85 ? 'zh-TW' : 'en',
    consent: random.next() >= NO_CONSENT_SHARE,
    survey: random.next() < SURVEY_SHARE ? planSurvey(random, index) : null,
    walkedKm: walkedKm + riddenKm,
    actions: [...syncs(recorded, time, random), ...checkins(recorded, time, random)].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
  }
}

const sent = ({ lat, lng, recordedAt, accuracy, speed, altitude, heading }: Point): SentPoint => ({
  lat,
  lng,
  recordedAt,
  accuracy,
  speed,
  altitude,
  heading,
})

/** Batches like those of real phones: some pause, some are late, some are repeated after a lost response. */
function syncs(points: readonly SentPoint[], time: Time, random: Random): Action[] {
  const actions: Action[] = []
  const asleepFrom = random.between(0, time.lastsMs)
  const asleepTo = random.next() < 0.3 ? asleepFrom + time.lastsMs / 4 : asleepFrom
  let sentUpTo = 0
  for (
    let atMs = random.between(0, SYNC_EVERY_MS.max);
    ;
    atMs += random.between(SYNC_EVERY_MS.min, SYNC_EVERY_MS.max)
  ) {
    const last = atMs >= time.lastsMs
    if (!last && atMs > asleepFrom && atMs < asleepTo) continue
    const until = last ? points.length : countUpTo(points, walkingMs(time, atMs))
    for (let from = sentUpTo; from < until; from += SYNC_POINTS_MAX) {
      const batch = points.slice(from, Math.min(until, from + SYNC_POINTS_MAX))
      const lateMs = !last && random.next() < LATE_SHARE ? random.between(0, time.lastsMs - atMs) : 0
      actions.push({ atMs: Math.min(atMs, time.lastsMs) + lateMs, kind: 'sync', points: batch })
      if (random.next() < RESENT_SHARE)
        actions.push({ atMs: Math.min(atMs + 500, time.lastsMs), kind: 'sync', points: batch })
    }
    sentUpTo = until
    if (last) return actions
  }
}

/** Check-ins along the way, at recorded places. */
function checkins(points: readonly SentPoint[], time: Time, random: Random): Action[] {
  const actions: Action[] = []
  const eager = random.next() < EAGER_SHARE
  const every = () =>
    Math.max(CHECKIN_APART_MS_MIN, random.between(CHECKIN_EVERY_MS.min, CHECKIN_EVERY_MS.max) / time.speed)
  for (let atMs = random.between(0, every()); atMs < time.lastsMs; atMs += every()) {
    const point = points[countUpTo(points, walkingMs(time, atMs)) - 1]
    if (!point) continue
    const taps = eager && actions.length === 0 ? EAGER_TAPS : 1
    for (let tap = 0; tap < taps; tap++)
      actions.push({
        atMs: atMs + tap * 50,
        kind: 'checkin',
        point: { ...point, recordedAt: point.recordedAt + tap },
      })
  }
  return actions
}

/** The number of points recorded up to a time; they are in order. */
function countUpTo(points: readonly SentPoint[], ms: number): number {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.recordedAt ?? Number.POSITIVE_INFINITY) <= ms) low = middle + 1
    else high = middle
  }
  return low
}

function nameOf(random: Random): string {
  const given = GIVEN_NAMES[random.integer(0, GIVEN_NAMES.length - 1)] ?? '香客'
  return /^[A-Z]/.test(given) ? given : `${SURNAMES[random.integer(0, SURNAMES.length - 1)]}${given}`
}
