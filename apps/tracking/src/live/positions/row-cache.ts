/** Rows that are kept: more do not move between two ticks of the streams. */
const ROWS_MAX = 10_000

export type RowFormat = 'json' | 'geojson'

/**
 * The bytes of positions in public deltas until they change: of those who moved in one second there are as many deltas as
 * there are boxes. Whole maps are not kept here; rendering all rows is cheaper than keeping them.
 */
export class RowCache {
  readonly #rows = { json: new Map<number, Uint8Array>(), geojson: new Map<number, Uint8Array>() }

  get(format: RowFormat, slot: number): Uint8Array | undefined {
    return this.#rows[format].get(slot)
  }

  set(format: RowFormat, slot: number, row: Uint8Array): void {
    const rows = this.#rows[format]
    if (rows.size >= ROWS_MAX) rows.clear()
    rows.set(slot, row)
  }

  /** What the public sees of the slot has changed. */
  delete(slot: number): void {
    this.#rows.json.delete(slot)
    this.#rows.geojson.delete(slot)
  }
}
