import { readFileSync } from 'node:fs'
import type { Place } from '@palanquin/domain/geo'
import { routeOfGeoJson } from '@palanquin/domain/guide'

/** Nine days from Baishatun to Beigang and back by another way, as GeoJSON. */
export const ROUTE_DOCUMENT: unknown = JSON.parse(
  readFileSync(new URL('nine-days.geojson', import.meta.url), 'utf8'),
)

/** The corners of the way, from the first day to the last. */
export function routePlaces(): Place[] {
  const lines = routeOfGeoJson(ROUTE_DOCUMENT)
  if ('error' in lines) throw new Error(lines.error)
  return lines.flat().map(([lng, lat]) => ({ lat, lng }))
}
