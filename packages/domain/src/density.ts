/** The density of the crowd: people counted by square cells, so that no single person can be seen. Web face, section 4. */
import Type, { type Static } from 'typebox'
import type { BoundingBox, Place } from './geo'

/** Cells with fewer people than this are left out; organisers may ask for more. */
export const DENSITY_COUNT_MIN = 3
/** Cells of the whole activity, some 260 m; halved twice towards the closest tiles. Powers of two keep their edges aligned. */
const CELLS_PER_DEGREE = { whole: 400, zoom13: 800, zoom14: 1_600 } as const
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

/** How many cells a degree has at a zoom; without a tile those of the whole activity. */
const cellsPerDegree = (tile: Tile | null): number => {
  if (tile === null || tile.z < 13) return CELLS_PER_DEGREE.whole
  return tile.z === 13 ? CELLS_PER_DEGREE.zoom13 : CELLS_PER_DEGREE.zoom14
}

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

/** Counts places by cell, from south-west to north-east; cells with fewer than `countMin` are left out. */
export function densityOf(
  places: Iterable<Place>,
  tile: Tile | null,
  countMin: number = DENSITY_COUNT_MIN,
): Density {
  const perDegree = cellsPerDegree(tile)
  const box = tile === null ? null : tileBox(tile)
  const counts = new Map<number, { column: number; row: number; n: number }>()
  for (const { lat, lng } of places) {
    if (box !== null && (lng < box.west || lng >= box.east || lat < box.south || lat >= box.north)) continue
    const [column, row] = [Math.floor(lng * perDegree), Math.floor(lat * perDegree)]
    const key = row * ROW_LENGTH + column
    const cell = counts.get(key)
    if (cell) cell.n++
    else counts.set(key, { column, row, n: 1 })
  }
  const cells = [...counts.values()]
    .filter(({ n }) => n >= countMin)
    .sort((a, b) => a.row - b.row || a.column - b.column)
  const west = cells.reduce((least, { column }) => Math.min(least, column), cells[0]?.column ?? 0)
  const south = cells[0]?.row ?? 0
  return {
    cellDegrees: 1 / perDegree,
    west: west / perDegree,
    south: south / perDegree,
    x: cells.map(({ column }) => column - west),
    y: cells.map(({ row }) => row - south),
    n: cells.map(({ n }) => n),
  }
}

/** More columns than the finest grid has round the Earth, so that a row and a column make one number. */
const ROW_LENGTH = 2 ** 21
