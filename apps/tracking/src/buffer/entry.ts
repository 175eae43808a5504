import type { Point, PointKind } from '@palanquin/domain/point'

/**
 * A point as it waits in the buffer: recordedAt (epoch ms), lat, lng, accuracy, speed, altitude, heading, and where they
 * are needed the point's own source, a check-in's note and the phone's battery. Doubles as they came.
 */
export type Tuple = readonly [
  recordedAt: number,
  lat: number,
  lng: number,
  accuracy: number | null,
  speed: number | null,
  altitude: number | null,
  heading: number | null,
  source?: string | null,
  note?: string | null,
  battery?: number | null,
]

/** `k` of an entry. */
export const KIND_LETTER = { checkin: 'c', track: 't' } as const satisfies Record<PointKind, string>

/** Packs a point; `entrySource` is what the entry says for all of its points. */
export function packPoint(point: Point, entrySource: string, note?: string | null): Tuple {
  const { recordedAt, lat, lng, accuracy, speed, altitude, heading, source } = point
  const own = source === entrySource ? null : source
  if (point.battery !== undefined)
    return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own, note ?? null, point.battery]
  if (note) return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own, note]
  if (own !== null) return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own]
  return [recordedAt, lat, lng, accuracy, speed, altitude, heading]
}
