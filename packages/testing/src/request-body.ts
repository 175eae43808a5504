import type { Point } from '@palanquin/domain/point'
import { type Random, seededRandom } from './random.ts'

/** A point as a phone writes it: times as epoch milliseconds, what was not measured left out. */
export type PhonePoint = { lat: number; lng: number; recordedAt: number; source?: string } & Partial<
  Record<'accuracy' | 'speed' | 'altitude' | 'heading', number>
>

export function phonePoint(point: Point): PhonePoint {
  return {
    lat: point.lat,
    lng: point.lng,
    recordedAt: point.recordedAt,
    source: point.source,
    ...(point.accuracy === null ? {} : { accuracy: point.accuracy }),
    ...(point.speed === null ? {} : { speed: point.speed }),
    ...(point.altitude === null ? {} : { altitude: point.altitude }),
    ...(point.heading === null ? {} : { heading: point.heading }),
  }
}

/** Body of `POST /track/sync`, at most 1000 points. */
export const syncBody = (userId: string, points: readonly Point[]) => ({
  userId,
  points: points.map(phonePoint),
})

/** Points as bad networks deliver them. */
export function shuffledBatches<T>(
  points: readonly T[],
  options: { seed: number; sizeMin?: number; sizeMax?: number; times?: number },
): T[][] {
  const { seed, sizeMin = 1, sizeMax = 50, times = 1 } = options
  const random: Random = seededRandom(seed)
  const mixed = random.shuffle(points)
  const batches: T[][] = []
  while (mixed.length > 0) batches.push(mixed.splice(0, random.integer(sizeMin, sizeMax)))
  return random.shuffle(batches.flatMap((batch) => Array.from({ length: times }, () => batch)))
}
