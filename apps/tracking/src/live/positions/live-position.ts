import { shardOf } from '@palanquin/domain/ids'
import { type EntryNumber, STREAM_START } from './cursor.ts'

/** A participant on the map: the latest position, the stream entry that brought it, and what the level follows from. */
export type LivePosition = {
  readonly userId: string
  readonly shard: number
  /** The pseudonym of the participant on the public map. */
  readonly id: string
  lat: number
  lng: number
  /** Epoch ms. */
  recordedAt: number
  /** Metres; null where the phone did not say. */
  accuracyM: number | null
  /** Percent, as the phone last said in the buffer; null where it has not. */
  battery: number | null
  movedAt: EntryNumber
  /** Totals of the last flush. */
  km: number
  checkins: number
  /** Check-ins in the stream that are not flushed yet. */
  pending: { entry: EntryNumber; recordedAt: number }[]
  /** Whether it is counted in public; whether it is a dot there, and under which name (`PublicState`). */
  isCounted: boolean
  isPublic: boolean
  isAnonymous: boolean
  publicName: string | null
  /** Its cell of the grid; null before it is placed. */
  cell: GridCell | null
  /** Its text in public responses, rendered on demand and dropped on every change. */
  texts: { json?: string; geojson?: string }
}

/** The positions of one cell, and how many of them are public. */
export type GridCell = {
  readonly row: number
  readonly column: number
  readonly members: Set<LivePosition>
  publicCount: number
}

/** A position as a stream entry or a stored track has it. */
export type PositionUpdate = {
  lat: number
  lng: number
  recordedAt: number
  accuracy: number | null
  /** Left out where it is unknown: then the one before stays. */
  battery?: number | undefined
  entry: EntryNumber
}

/** The position of a participant who is not on the map yet. */
export const newPosition = (userId: string, id: string): LivePosition => ({
  userId,
  shard: shardOf(userId),
  id,
  lat: 0,
  lng: 0,
  recordedAt: Number.NEGATIVE_INFINITY,
  accuracyM: null,
  battery: null,
  movedAt: STREAM_START,
  km: 0,
  checkins: 0,
  pending: [],
  isCounted: false,
  isPublic: false,
  isAnonymous: false,
  publicName: null,
  cell: null,
  texts: {},
})
