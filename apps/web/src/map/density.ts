import type { Density } from '../api/types.ts'
import { CELLS_ZOOM_MIN } from './view.ts'

/** Blobs of the crowd stand at least so far apart, so that its number fits. */
const BLOB_PIXELS = 56
const TILE_PIXELS = 512

type Blob = { lat: number; lng: number; n: number }

/** The crowd as points with numbers: cells from zoom 13 on, groups of them below, at the middle of their people. */
export function blobsOf(density: Density, zoom: number) {
  const { cellDegrees, west, south, x, y, n } = density
  const step = zoom >= CELLS_ZOOM_MIN ? 1 : stepsPerBlob(cellDegrees, zoom)
  const blobs = new Map<string, Blob>()
  n.forEach((count, at) => {
    // Counted from the Earth's own origin: a group stays the same when the crowd's edge moves.
    const [column, row] = [west / cellDegrees + (x[at] ?? 0), south / cellDegrees + (y[at] ?? 0)].map(
      Math.round,
    )
    if (column === undefined || row === undefined) return
    const key = `${Math.floor(column / step)} ${Math.floor(row / step)}`
    const [lng, lat] = [(column + 0.5) * cellDegrees, (row + 0.5) * cellDegrees]
    const blob = blobs.get(key)
    if (blob === undefined) blobs.set(key, { lat, lng, n: count })
    else {
      blob.lat += ((lat - blob.lat) * count) / (blob.n + count)
      blob.lng += ((lng - blob.lng) * count) / (blob.n + count)
      blob.n += count
    }
  })
  return {
    type: 'FeatureCollection' as const,
    features: [...blobs.values()].map(({ lat, lng, n: count }) => ({
      type: 'Feature' as const,
      geometry: { type: 'Point' as const, coordinates: [lng, lat] },
      properties: { n: count },
    })),
  }
}

/** A power of two: groups of one zoom consist of whole groups of the next. */
function stepsPerBlob(cellDegrees: number, zoom: number): number {
  const degrees = (BLOB_PIXELS * 360) / (TILE_PIXELS * 2 ** Math.floor(zoom))
  return 2 ** Math.max(0, Math.ceil(Math.log2(degrees / cellDegrees)))
}
