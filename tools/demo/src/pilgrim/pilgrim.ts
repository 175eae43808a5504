import type { Point } from '@palanquin/domain/point'
import { type Random, seededRandom } from '@palanquin/testing/random'
import { walk } from '@palanquin/testing/walk'
import { type Action, checkins, type SentPoint, syncs, type Time, walkingMs } from './actions.ts'
import { BAISHATUN_ROUTE } from './route.ts'
import { type PlannedSurvey, planSurvey } from './survey.ts'

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

const HOUR_MS = 3_600_000
const NO_CONSENT_SHARE = 0.1
const WITH_PALANQUIN_SHARE = 0.6
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
    route: BAISHATUN_ROUTE.slice(startOf(random)),
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

/** Most set out with the palanquin; the others wait for it, or went ahead. */
const startOf = (random: Random): number =>
  random.next() < WITH_PALANQUIN_SHARE ? 0 : random.integer(0, BAISHATUN_ROUTE.length - 3)

const sent = ({ lat, lng, recordedAt, accuracy, speed, altitude, heading }: Point): SentPoint => ({
  lat,
  lng,
  recordedAt,
  accuracy,
  speed,
  altitude,
  heading,
})

function nameOf(random: Random): string {
  const input = GIVEN_NAMES[random.integer(0, GIVEN_NAMES.length - 1)] ?? '香客'
  return /^[A-Z]/.test(input) ? input : `${SURNAMES[random.integer(0, SURNAMES.length - 1)]}${input}`
}
