import type { EntryNumber } from './cursor.ts'

/** A participant on the map: the latest position, the entry that brought it, and what the level follows from. */
export type Walker = {
  readonly userId: string
  readonly shard: number
  /** The pseudonym that stands for the participant in public. */
  readonly id: string
  lat: number
  lng: number
  /** Epoch ms. */
  recordedAt: number
  movedAt: EntryNumber
  /** Counted by the last flush. */
  km: number
  checkins: number
  /** Check-ins that were seen in the stream and are not flushed yet: their entries and times. */
  pending: { entry: EntryNumber; recordedAt: number }[]
  shown: Shown
}

/** What is shown of a walker, found out when somebody asks and kept until anything about the walker changes. */
export type Shown = {
  isPublic?: boolean
  /** The text of the walker in an answer; `whole`, as administrators see it. */
  'public:json'?: string
  'public:geojson'?: string
  'whole:json'?: string
  'whole:geojson'?: string
}

/** A position as a stream entry or a stored track has it. */
export type Sighting = { lat: number; lng: number; recordedAt: number; entry: EntryNumber }
