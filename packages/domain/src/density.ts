/** The density of the crowd: people counted by square cells. Web face, section 4. */
import Type, { type Static } from 'typebox'
import type { BoundingBox, Place } from './geo'

/** Cells with fewer people than this are left out; organisers may ask for more. */
export const DENSITY_COUNT_MIN = 3
/** Devices made up to be counted cost their maker this wait after their first point. */
export const COUNTED_AFTER_MS = 15 * 60_000
/** Cells of some 260 m: finer ones would say where within one its people are. */
const CELLS_PER_DEGREE = 400
const TILE_ZOOM_MIN = 6
const TILE_ZOOM_MAX = 17

const Steps = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description })

export const Density = Type.Object({
  cellDegrees: Type.Number({ description: 'the side of a cell in degrees' }),
  west: Type.Number({ description: 'where x = 0 begins: a multiple of cellDegrees' }),
  south: Type.Number({ description: 'where y = 0 begins: a multiple of cellDegrees' }),
  x: Steps('steps of cellDegrees east of west, by cell'),
  y: Steps('steps of cellDegrees north of south, by cell'),
  n: Type.Array(Type.Integer({ minimum: DENSITY_COUNT_MIN }), { description: 'people in each cell' }),
})
export type Density = Static<typeof Density>

export type Tile = { z: number; x: number; y: number }

/** Reads `z`, `x`, `y` of a web map tile; null when none is named, a sentence when they are no tile. */
export function parseTile({
  z,
  x,
  y,
}: {
  z?: string
  x?: string
  y?: string
}): Tile | null | { error: string } {
  if (z === undefined && x === undefined && y === undefined) return null
  const [zoom, column, row] = [z, x, y].map((text) =>
    text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : -1,
  )
  if (zoom === undefined || zoom < TILE_ZOOM_MIN || zoom > TILE_ZOOM_MAX)
    return { error: `z: expected a zoom from ${TILE_ZOOM_MIN} to ${TILE_ZOOM_MAX}` }
  const side = 2 ** zoom
  if (column === undefined || column < 0 || column >= side)
    return { error: `x: expected a column from 0 to ${side - 1}` }
  if (row === undefined || row < 0 || row >= side) return { error: `y: expected a row from 0 to ${side - 1}` }
  return { z: zoom, x: column, y: row }
}

/** The box of a web map tile (spherical Mercator), in degrees. */
export function tileBox({ z, x, y }: Tile): BoundingBox {
  const side = 2 ** z
  const latitude = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / side))) * 180) / Math.PI
  const longitude = (column: number) => (column / side) * 360 - 180
  return { west: longitude(x), south: latitude(y + 1), east: longitude(x + 1), north: latitude(y) }
}

/** The people of a base cell: its column and row are counted from 0° in steps of a cell. */
type Cell = { column: number; row: number; n: number }
/** The base cells of the whole activity that are shown, by row. */
export type Crowd = ReadonlyMap<number, readonly Cell[]>

/** Counts places by base cell; those with fewer than `countMin` are left out. */
export function crowdOf(places: Iterable<Place>, countMin: number = DENSITY_COUNT_MIN): Crowd {
  const counts = new Map<number, Cell>()
  for (const { lat, lng } of places) {
    const [column, row] = [Math.floor(lng * CELLS_PER_DEGREE), Math.floor(lat * CELLS_PER_DEGREE)]
    const key = row * ROW_LENGTH + column
    const cell = counts.get(key)
    if (cell) cell.n++
    else counts.set(key, { column, row, n: 1 })
  }
  const shown = [...counts.values()].filter(({ n }) => n >= countMin)
  return Map.groupBy(
    shown.sort((a, b) => a.row - b.row || a.column - b.column),
    ({ row }) => row,
  )
}

/** The cells whose centre a tile has, from south-west to north-east. */
export function densityOf(crowd: Crowd, tile: Tile | null): Density {
  const cells = tile === null ? [...crowd.values()].flat() : cellsIn(crowd, tileBox(tile))
  const west = cells.reduce((least, { column }) => Math.min(least, column), cells[0]?.column ?? 0)
  const south = cells[0]?.row ?? 0
  return {
    cellDegrees: 1 / CELLS_PER_DEGREE,
    west: west / CELLS_PER_DEGREE,
    south: south / CELLS_PER_DEGREE,
    x: cells.map(({ column }) => column - west),
    y: cells.map(({ row }) => row - south),
    n: cells.map(({ n }) => n),
  }
}

function cellsIn(crowd: Crowd, { west, south, east, north }: BoundingBox): Cell[] {
  const firstAt = (degrees: number) => Math.ceil(degrees * CELLS_PER_DEGREE - 0.5)
  const [left, right] = [firstAt(west), firstAt(east)]
  const cells: Cell[] = []
  for (let row = firstAt(south); row < firstAt(north); row++)
    for (const cell of crowd.get(row) ?? []) if (cell.column >= left && cell.column < right) cells.push(cell)
  return cells
}

/** More columns than the grid has round the Earth, so that a row and a column make one number. */
const ROW_LENGTH = 2 ** 21
