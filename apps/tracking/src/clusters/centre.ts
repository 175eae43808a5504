import type { Place } from '@palanquin/domain/geo'
import { cellDegrees } from '@palanquin/domain/grid'

/** The middle of a cell of the grid, which says no more than that somebody is in it; at the Earth's ends, the end. */
export function centreOf({ y, x }: { y: number; x: number }, zoom: number): Place {
  const cell = cellDegrees(zoom)
  return { lat: Math.min(90, (y + 0.5) * cell), lng: Math.min(180, (x + 0.5) * cell) }
}
