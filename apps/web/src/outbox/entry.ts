/** A place that the phone measured, as `POST /track/sync` takes it: degrees, metres, km/h, percent. */
export type TrackPoint = {
  lat: number
  lng: number
  /** Epoch milliseconds. */
  recordedAt: number
  accuracy: number
  speed?: number
  altitude?: number
  heading?: number
  battery?: number
}

/** `waiting`: not yet answered; `refused`: the service never takes this point. */
export type EntryState = 'waiting' | 'refused'

/** A point in the outbox. It belongs to the person who was signed in when it was recorded. */
export type OutboxEntry = {
  seq?: number
  userId: string
  point: TrackPoint
  state: EntryState
  reason?: string
}
export type StoredEntry = OutboxEntry & { seq: number }
