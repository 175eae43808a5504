/** Where one participant is, for a question about one; all of them are in `PositionColumns`. */
export type LivePosition = {
  readonly lat: number
  readonly lng: number
  /** Epoch ms. */
  readonly recordedAt: number
  /** Metres; null where the phone did not say. */
  readonly accuracyM: number | null
  /** Percent, as the phone last said in the buffer; null where it has not. */
  readonly battery: number | null
}

/** A position as a stream entry or a stored track has it. */
export type PositionUpdate = {
  lat: number
  lng: number
  recordedAt: number
  accuracy: number | null
  /** Left out where it is unknown: then the one before stays. */
  battery?: number | undefined
  entry: readonly [ms: number, sequence: number]
}
