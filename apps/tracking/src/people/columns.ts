/** Fewer slots than this are not worth a copy of a column. */
const STEP = 32_768

/**
 * The length of a column that gets the slot: a quarter is free, and `step` at least. Doubling would leave up to half of
 * the memory unused, and steps of one size would copy all that is there the more often the more there is.
 */
export const lengthFor = (slot: number, step = STEP): number => slot + 1 + Math.max(step, slot >>> 2)

export function longerFloats(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length)
  longer.set(column)
  return longer
}

export function longerWords(column: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length)
  longer.set(column)
  return longer
}

export function longerBytes(column: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length)
  longer.set(column)
  return longer
}
