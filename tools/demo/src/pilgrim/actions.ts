import type { Point } from '@palanquin/domain/point'
import type { Random } from '@palanquin/testing/random'

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

/** Converts demo time to walking time; both end together, so that no point is in the future. */
export const walkingMs = ({ beginMs, lastsMs, speed }: Time, atMs: number): number =>
  beginMs + lastsMs - (lastsMs - atMs) * speed

/** Batches like those of real phones: some pause, some are late, some are repeated after a lost response. */
export function syncs(points: readonly SentPoint[], time: Time, random: Random): Action[] {
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
export function checkins(points: readonly SentPoint[], time: Time, random: Random): Action[] {
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
