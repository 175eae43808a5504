import type { BoundingBox } from '@palanquin/domain/geo'
import { cellDegrees, cellIndex, ROLLUP_LEVEL } from '@palanquin/domain/grid'

const CELL = cellDegrees(ROLLUP_LEVEL)
/** Rounding may put a place on the other side of a cell's edge: conditions in degrees, which only narrow the search, allow for it. */
const SLACK_DEGREES = 1e-9
/** At the ends of the Earth the box cuts no cell. */
const BEFORE_ALL = -(2 ** 31)
const AFTER_ALL = 2 ** 31 - 1
const NOWHERE_DEGREES = 1_000

/** The rollup cells in which the edges of a box lie, and how far those reach into the box, in degrees. */
export function edgesOf({ west, south, east, north }: BoundingBox) {
  const crosses = west > east
  const cells = {
    west: west <= -180 && !crosses ? BEFORE_ALL : cellIndex(west, ROLLUP_LEVEL),
    south: south <= -90 ? BEFORE_ALL : cellIndex(south, ROLLUP_LEVEL),
    east: east >= 180 && !crosses ? AFTER_ALL : cellIndex(east, ROLLUP_LEVEL),
    north: north >= 90 ? AFTER_ALL : cellIndex(north, ROLLUP_LEVEL),
  }
  const reach = {
    west: cells.west === BEFORE_ALL ? -NOWHERE_DEGREES : (cells.west + 1) * CELL + SLACK_DEGREES,
    south: cells.south === BEFORE_ALL ? -NOWHERE_DEGREES : (cells.south + 1) * CELL + SLACK_DEGREES,
    east: cells.east === AFTER_ALL ? NOWHERE_DEGREES : cells.east * CELL - SLACK_DEGREES,
    north: cells.north === AFTER_ALL ? NOWHERE_DEGREES : cells.north * CELL - SLACK_DEGREES,
  }
  return { cells, reach }
}

/** A rollup cell. */
export type Cell = { lat: number; lng: number }
/** A rectangle in degrees, without its north and east edges. */
export type Patch = { south: number; north: number; west: number; east: number }

/**
 * The area from one cell up to another (exclusive) in the order of cells, by latitude, then longitude, as patches that do
 * not overlap. Null stands for the first cell, or for the end.
 */
export function patchesBetween(from: Cell | null, to: Cell | null): Patch[] {
  const all = { west: Number.NEGATIVE_INFINITY, east: Number.POSITIVE_INFINITY }
  const rowOf = ({ lat }: Cell) => ({ south: lat * CELL, north: (lat + 1) * CELL })
  if (from && to && from.lat === to.lat)
    return [{ ...rowOf(from), west: from.lng * CELL, east: to.lng * CELL }]
  return [
    ...(from ? [{ ...rowOf(from), ...all, west: from.lng * CELL }] : []),
    {
      ...all,
      south: from ? rowOf(from).north : Number.NEGATIVE_INFINITY,
      north: to ? rowOf(to).south : Number.POSITIVE_INFINITY,
    },
    ...(to ? [{ ...rowOf(to), ...all, east: to.lng * CELL }] : []),
  ].filter(({ south, north }) => south < north)
}
