import type { BoundingBox } from '@palanquin/domain/geo'
import { cellDegrees, cellIndex, ROLLUP_LEVEL } from '@palanquin/domain/grid'

const CELL = cellDegrees(ROLLUP_LEVEL)
/** Rounding may put a place on the other side of a cell's edge: the conditions in degrees, which only narrow the search, give way by this. */
const SLACK_DEGREES = 1e-9
/** Where a box ends at the end of the Earth, no cell is cut. */
const BEFORE_ALL = -(2 ** 31)
const BEHIND_ALL = 2 ** 31 - 1
const NOWHERE_DEGREES = 1_000

/** Which cells of the rollup a box's edges lie in, and how far into the box those reach, in degrees. */
export function edgesOf({ west, south, east, north }: BoundingBox) {
  const crosses = west > east
  const cells = {
    west: west <= -180 && !crosses ? BEFORE_ALL : cellIndex(west, ROLLUP_LEVEL),
    south: south <= -90 ? BEFORE_ALL : cellIndex(south, ROLLUP_LEVEL),
    east: east >= 180 && !crosses ? BEHIND_ALL : cellIndex(east, ROLLUP_LEVEL),
    north: north >= 90 ? BEHIND_ALL : cellIndex(north, ROLLUP_LEVEL),
  }
  const reach = {
    west: cells.west === BEFORE_ALL ? -NOWHERE_DEGREES : (cells.west + 1) * CELL + SLACK_DEGREES,
    south: cells.south === BEFORE_ALL ? -NOWHERE_DEGREES : (cells.south + 1) * CELL + SLACK_DEGREES,
    east: cells.east === BEHIND_ALL ? NOWHERE_DEGREES : cells.east * CELL - SLACK_DEGREES,
    north: cells.north === BEHIND_ALL ? NOWHERE_DEGREES : cells.north * CELL - SLACK_DEGREES,
  }
  return { cells, reach }
}

/** A cell of the rollup. */
export type Cell = { lat: number; lng: number }
/** A rectangle in degrees: from `south`, `west` up to before `north`, `east`. */
export type Patch = { south: number; north: number; west: number; east: number }

/**
 * The places from one cell up to before another, in the order of cells (by latitude, then longitude), as patches that
 * do not overlap; null is the beginning, or the end, of the Earth.
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
