import type { Place } from '@palanquin/domain/geo'
import { cellDegrees } from '@palanquin/domain/grid'

/** The centre of a grid cell, which reveals no place within it; clamped to the ends of the Earth. */
export function centreOf({ y, x }: { y: number; x: number }, zoom: number): Place {
  const cell = cellDegrees(zoom)
  return { lat: Math.min(90, (y + 0.5) * cell), lng: Math.min(180, (x + 0.5) * cell) }
}
