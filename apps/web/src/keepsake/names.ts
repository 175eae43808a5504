import { greatCircleKm, type Place } from '@palanquin/domain/geo'
import { inLanguage, type Language } from '@palanquin/domain/language'
import type { FeatureCollection, Position } from 'geojson'
import type { PlaceFeature } from '../api/types.ts'

/** A place of the organisers that is further away does not name where somebody was. */
const NEAR_KM = 1.5

/** The name of a place: the organisers' nearest one, else the county; null at sea and abroad. */
export function namesOf({
  places,
  outlines,
  language,
}: {
  places: readonly PlaceFeature[]
  outlines: FeatureCollection
  language: Language
}): (place: Place) => string | null {
  const counties = outlines.features.flatMap(({ geometry, properties }) =>
    geometry.type === 'MultiPolygon' ? [{ polygons: geometry.coordinates, properties }] : [],
  )
  return (from) => {
    let [nearest, nearestKm]: [PlaceFeature | null, number] = [null, NEAR_KM]
    for (const place of places) {
      const [lng, lat] = place.geometry.coordinates
      const km = greatCircleKm({ from, to: { lat, lng } })
      if (km < nearestKm) [nearest, nearestKm] = [place, km]
    }
    if (nearest) return inLanguage(language, nearest.properties.name)
    const county = counties.find(({ polygons }) => polygons.some((rings) => isInside(from, rings)))
    const name: unknown = inLanguage(language, { zh: county?.properties?.zh, en: county?.properties?.en })
    return typeof name === 'string' ? name : null
  }
}

/** By the even-odd rule over all rings, so that a hole is outside. */
function isInside({ lat, lng }: Place, rings: readonly Position[][]): boolean {
  let inside = false
  for (const ring of rings)
    for (const [index, [x = 0, y = 0]] of ring.entries()) {
      const [fromX = 0, fromY = 0] = ring.at(index - 1) ?? []
      if (y > lat !== fromY > lat && lng < ((fromX - x) * (lat - y)) / (fromY - y) + x) inside = !inside
    }
  return inside
}
