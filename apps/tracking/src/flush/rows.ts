import type { Checkpoint } from '@palanquin/domain/distance/checkpoint'
import { type EventData, TRACK_ADVANCED_PARTICIPANTS_MAX } from '@palanquin/domain/events'
import { toIso } from '@palanquin/domain/time'
import { chunk } from '@palanquin/service/chunk'
import type { BufferedPoint, SetAside } from '../buffer/decode.ts'
import type { PlannedTrack } from './plan.ts'

const kindNumber = (kind: 'checkin' | 'track'): 0 | 1 => (kind === 'checkin' ? 0 : 1)

export const pointRow = ({ userId, point, note, receivedAt }: BufferedPoint) => ({
  u: userId,
  t: toIso(point.recordedAt),
  k: kindNumber(point.kind),
  lat: point.lat,
  lng: point.lng,
  acc: point.accuracy,
  spd: point.speed,
  alt: point.altitude,
  hdg: point.heading,
  s: point.source,
  n: note,
  r: toIso(receivedAt),
  bat: point.battery,
})

/** Checkpoints as the statements take them. */
export const checkpointRows = (userId: string, checkpoints: readonly Checkpoint[]) =>
  checkpoints.map(({ at, openFrom, track }) => ({
    u: userId,
    at: toIso(at),
    open: toIso(openFrom),
    state: track,
  }))

export const trackRow = ({
  userId,
  track,
  countedBefore,
  hasLate,
  isUnreadable,
  position,
  lastSeenAt,
}: PlannedTrack) => ({
  u: userId,
  walked: track.walkedKm,
  motorized: track.motorizedKm,
  points: track.points,
  checkins: track.checkins,
  state: track,
  lat: position?.lat,
  lng: position?.lng,
  at: position && toIso(position.recordedAt),
  acc: position?.accuracy,
  entry: position?.movedId,
  seen: toIso(lastSeenAt),
  late: hasLate,
  unreadable: isUnreadable,
  counted_at: countedBefore && toIso(countedBefore.recordedAt),
  counted_kind: countedBefore && kindNumber(countedBefore.kind),
})

/** The fields as one text: jsonb refuses NUL and lone surrogates, which an entry that is set aside may hold. */
export const setAsideRow = ({ entry, position, reason }: SetAside) => ({
  id: entry.id,
  position,
  reason,
  entry: { text: JSON.stringify(entry.fields) },
})

/** The events with new totals, in chunks that the bus takes. */
export function advancedEvents(
  shard: number,
  tracks: readonly Pick<PlannedTrack, 'userId' | 'track'>[],
): EventData<'track.advanced'>[] {
  const totals = tracks.map(({ userId, track }) => ({
    userId,
    points: track.points,
    checkins: track.checkins,
    walkedKm: track.walkedKm,
    motorizedKm: track.motorizedKm,
    lastRecordedAt: track.last && toIso(track.last.recordedAt),
  }))
  return chunk(totals, TRACK_ADVANCED_PARTICIPANTS_MAX).map((participants) => ({
    shard,
    participants: [...participants],
  }))
}
