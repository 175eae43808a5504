import type { Checkpoint } from '@palanquin/domain/distance/checkpoint'
import { type EventData, TRACK_ADVANCED_PARTICIPANTS_MAX } from '@palanquin/domain/events'
import { toIso } from '@palanquin/domain/time'
import { chunk } from '@palanquin/service/chunk'
import type { BufferedPoint, SetAside } from '../buffer/decode.ts'
import type { PlannedTrack } from './plan.ts'

export const kindNumber = (kind: 'checkin' | 'track'): 0 | 1 => (kind === 'checkin' ? 0 : 1)

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

/** Which points make a track a case for a rebuild, or that it is one whatever they are. */
export const checkedRow = ({ userId, countedBefore, isUnreadable }: PlannedTrack) => ({
  u: userId,
  counted_at: countedBefore && toIso(countedBefore.recordedAt),
  counted_kind: countedBefore && kindNumber(countedBefore.kind),
  unreadable: isUnreadable,
})

/** The fields as one text: jsonb refuses NUL and lone surrogates, which an entry that is set aside may hold. */
export const setAsideRow = ({ entry, position, reason }: SetAside) => ({
  id: entry.id,
  position,
  reason,
  entry: { text: JSON.stringify(entry.fields) },
})

/** The events with new totals, in chunks that the bus takes: a line of JSON each, which has no line feed of its own. */
export function advancedEvents(
  shard: number,
  tracks: readonly Pick<PlannedTrack, 'userId' | 'track'>[],
): string {
  const totals = tracks.map(({ userId, track }) => ({
    userId,
    points: track.points,
    checkins: track.checkins,
    walkedKm: track.walkedKm,
    motorizedKm: track.motorizedKm,
    lastRecordedAt: track.last && toIso(track.last.recordedAt),
  }))
  const events = chunk(totals, TRACK_ADVANCED_PARTICIPANTS_MAX).map(
    (participants): EventData<'track.advanced'> => ({ shard, participants: [...participants] }),
  )
  return events.map((data) => JSON.stringify(data)).join('\n')
}
