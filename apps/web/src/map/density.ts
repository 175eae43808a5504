import type { Density } from '../api/types.ts'

/** Cells of the crowd as points in their centres, each with its number of people. */
export function cellsOf({ cellDegrees, west, south, x, y, n }: Density) {
  return {
    type: 'FeatureCollection' as const,
    features: n.map((count, at) => ({
      type: 'Feature' as const,
      geometry: {
        type: 'Point' as const,
        coordinates: [west + ((x[at] ?? 0) + 0.5) * cellDegrees, south + ((y[at] ?? 0) + 0.5) * cellDegrees],
      },
      properties: { n: count },
    })),
  }
}
