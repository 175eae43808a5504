/** The grid that positions are counted on: square cells of degrees that halve from one zoom to the next. */

/** On a map of 256-pixel tiles 64 pixels: a quarter of the equator at zoom 0, some 10 metres at 20. */
const CELL_DEGREES_AT_ZOOM_0 = 90
export const ZOOM_MAX = 20

/** The zoom of the rollup that the flush keeps: some 300 metres. */
export const ROLLUP_LEVEL = 15

/** The side of a cell in degrees. */
export const cellDegrees = (zoom: number): number => CELL_DEGREES_AT_ZOOM_0 / 2 ** zoom

/** The index of a latitude's or longitude's cell, to the last bit that of `cellIndexSql`. */
export const cellIndex = (degrees: number, zoom: number): number =>
  Math.floor((degrees / CELL_DEGREES_AT_ZOOM_0) * 2 ** zoom) + 0 // never -0

/** `cellIndex` as an SQL expression over a double precision column. */
export const cellIndexSql = (column: string, zoom: number): string =>
  `floor(${column} / ${CELL_DEGREES_AT_ZOOM_0}.0::double precision * ${2 ** zoom}.0::double precision)::integer`

/** Both indices fit 16 bits from here down: 360 degrees are 4 * 2^zoom cells. */
const ORDER_ZOOM = 14
const ORDER_BITS = 16

/** Sorts places so that nearby ones are mostly adjacent (a Z-order curve). */
export function placeOrder(lat: number, lng: number): number {
  const south = cellIndex(lat + 90, ORDER_ZOOM)
  const west = cellIndex(lng + 180, ORDER_ZOOM)
  let order = 0
  for (let bit = ORDER_BITS; bit >= 0; bit--)
    order = order * 4 + ((south >> bit) & 1) * 2 + ((west >> bit) & 1)
  return order
}
