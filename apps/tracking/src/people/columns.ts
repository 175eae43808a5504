/** Columns grow by this many slots at a time: doubling would leave up to half of the memory unused. */
const STEP = 32_768

/** The length of a column that has the slot; a whole number of steps. */
export const lengthFor = (slot: number): number => (Math.floor(slot / STEP) + 1) * STEP

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
