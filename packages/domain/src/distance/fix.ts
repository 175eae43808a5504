/** Where a phone was, when (epoch milliseconds), and how accurate that is (metres). */
export type Fix = {
  readonly lat: number
  readonly lng: number
  readonly recordedAt: number
  readonly accuracy: number | null
}
