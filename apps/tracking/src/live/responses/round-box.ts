import type { BoundingBox } from '@palanquin/domain/geo'
import { cellDegrees, cellIndex } from '@palanquin/domain/grid'

/** The longer side of a rounded box is this many cells, or a little more. */
const CELLS_ACROSS = 8
/** Some 600 metres: boxes are not rounded more finely. */
const ZOOM_MAX = 14

/**
 * Rounds a box outward to a grid, so that clients with nearly the same view share one query. A side grows by at most an
 * eighth at each end, or by 600 metres where it is short.
 */
export function roundBoxOutward(box: BoundingBox): BoundingBox {
  const crosses = box.west > box.east
  const width = box.east - box.west + (crosses ? 360 : 0)
  const zoom = zoomFor(Math.max(width, box.north - box.south))
  const cell = cellDegrees(zoom)
  const below = (degrees: number): number => cellIndex(degrees, zoom) * cell
  const above = (degrees: number): number => {
    const edge = below(degrees)
    return edge === degrees ? edge : edge + cell
  }
  const south = Math.max(-90, below(box.south))
  const north = Math.min(90, above(box.north))
  const west = Math.max(-180, below(box.west))
  const east = Math.min(180, above(box.east))
  const spansGlobe = crosses && west <= east
  return spansGlobe ? { west: -180, south, east: 180, north } : { west, south, east, north }
}

function zoomFor(degrees: number): number {
  const zoom = Math.floor(Math.log2((CELLS_ACROSS * cellDegrees(0)) / degrees))
  return Math.max(0, Math.min(ZOOM_MAX, zoom))
}
