import { boxContains, type Place } from '@palanquin/domain/geo'
import { cellIndex } from '@palanquin/domain/grid'
import type { Cluster, Question } from './question.ts'

/** More cells than there are from west to east at the finest zoom, so that both indices fit one number. */
const STRIDE = 2 ** 24

/** Counts places by cell of the grid: one pass, some milliseconds for a hundred thousand. */
export function clustersOf(places: Iterable<Place>, { box, zoom }: Question): Cluster[] {
  const cells = new Map<number, Cluster>()
  for (const { lat, lng } of places) {
    if (!boxContains(box, lat, lng)) continue
    const key = cellIndex(lat, zoom) * STRIDE + cellIndex(lng, zoom)
    const cell = cells.get(key)
    if (!cell) cells.set(key, { lat, lng, count: 1 })
    else {
      cell.lat += lat
      cell.lng += lng
      cell.count++
    }
  }
  return [...cells.values()].map(({ lat, lng, count }) => ({ lat: lat / count, lng: lng / count, count }))
}
