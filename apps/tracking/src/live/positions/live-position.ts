import type { EntryNumber } from './cursor.ts'

/** A participant on the map: the latest position, the entry that brought it, and what the level follows from. */
export type LivePosition = {
  readonly userId: string
  readonly shard: number
  /** The pseudonym that stands for the participant in public. */
  readonly id: string
  lat: number
  lng: number
  /** Epoch ms. */
  recordedAt: number
  /** Metres; null where the phone did not say. */
  accuracyM: number | null
  movedAt: EntryNumber
  /** Counted by the last flush. */
  km: number
  checkins: number
  /** Check-ins that were seen in the stream and are not flushed yet: their entries and times. */
  pending: { entry: EntryNumber; recordedAt: number }[]
  /** Whether the public may see it: with consent, and not withdrawn. */
  isPublic: boolean
  /** Where it stands in the grid; null before it has a place. */
  cell: GridCell | null
  /** Its text in the public answers, made when somebody asks and kept until anything about it changes. */
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
export type Sighting = {
  lat: number
  lng: number
  recordedAt: number
  accuracy: number | null
  entry: EntryNumber
}
