import { packTrack } from '@palanquin/domain/distance/packed-track'
import type { BufferedPoint } from '../buffer/decode.ts'
import type { CellSum, QuarterSum } from '../rollup/gather.ts'
import { type Column, rowsOf } from './columns.ts'
import type { PlannedTrack } from './plan.ts'
import { kindNumber } from './rows.ts'

/** The parameters of a batch that are no lists, before the lists. */
const SINGLE_PARAMETERS = 10

/** SQL: the time of a column with epoch milliseconds; exact, as no time here has more than 2^53 microseconds. */
export const instant = (column: string): string => `to_timestamp(${column} / 1000::double precision)`

/*
 * What is mostly the same in all rows is null there: a list that has nothing else is empty, and costs nothing. No kind is a track
 * point, no sum is 0, and who is not said to be new is known.
 */

/** Points that are certainly new. */
export const FRESH = rowsOf<BufferedPoint>(SINGLE_PARAMETERS + 1, {
  u: ['text', ({ userId }) => userId],
  t: ['bigint', ({ point }) => point.recordedAt],
  k: ['integer', ({ point }) => (point.kind === 'track' ? null : kindNumber(point.kind))],
  lat: ['double precision', ({ point }) => point.lat],
  lng: ['double precision', ({ point }) => point.lng],
  acc: ['double precision', ({ point }) => point.accuracy],
  spd: ['double precision', ({ point }) => point.speed],
  alt: ['real', ({ point }) => point.altitude],
  hdg: ['real', ({ point }) => point.heading],
  s: ['text', ({ point }) => point.source],
  n: ['text', ({ note }) => note],
  r: ['bigint', ({ receivedAt }) => receivedAt],
  bat: ['integer', ({ point }) => point.battery],
})

const TRACK_COLUMNS: Readonly<Record<string, Column<PlannedTrack>>> = {
  u: ['text', ({ userId }) => userId],
  walked: ['double precision', ({ track }) => track.walkedKm || null],
  motorized: ['double precision', ({ track }) => track.motorizedKm || null],
  points: ['integer', ({ track }) => track.points],
  checkins: ['integer', ({ track }) => track.checkins || null],
  state: ['text', ({ track }) => packTrack(track)],
  lat: ['double precision', ({ position }) => position?.lat],
  lng: ['double precision', ({ position }) => position?.lng],
  at: ['bigint', ({ position }) => position?.recordedAt],
  acc: ['double precision', ({ position }) => position?.accuracy],
  entry: ['text', ({ position }) => position?.movedId],
  seen: ['bigint', ({ lastSeenAt }) => lastSeenAt],
}
/** Of participants who had none. */
export const NEW_TRACKS = rowsOf(FRESH.next, TRACK_COLUMNS)
export const TRACKS = rowsOf(NEW_TRACKS.next, TRACK_COLUMNS)

export const QUARTERS = rowsOf<QuarterSum>(TRACKS.next, {
  u: ['text', ({ userId }) => userId],
  quarter: ['bigint', ({ quarter }) => quarter],
  is_known: ['boolean', ({ isKnown }) => (isKnown ? null : false)],
  points: ['integer', ({ points }) => points],
  checkins: ['integer', ({ checkins }) => checkins || null],
  walked: ['double precision', ({ walkedKm }) => walkedKm || null],
  motorized: ['double precision', ({ motorizedKm }) => motorizedKm || null],
})

export const CELLS = rowsOf<CellSum>(QUARTERS.next, {
  lat_cell: ['integer', ({ latCell }) => latCell],
  lng_cell: ['integer', ({ lngCell }) => lngCell],
  points: ['bigint', ({ points }) => points],
  sum_lat: ['double precision', ({ sumLat }) => sumLat],
  sum_lng: ['double precision', ({ sumLng }) => sumLng],
})
