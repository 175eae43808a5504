import { gpxFaults, parseXml } from './gpx.ts'

/** A feature of a track in GeoJSON, as tests look at it. */
export type TrackFeature = {
  geometry: { type: 'LineString'; coordinates: number[][] } | { type: 'Point'; coordinates: number[] }
  properties: { kind: string; coordTimes?: string[]; recordedAt?: string; note?: string | null }
}

/** The times of all positions of the track; check-ins, which stand beside it as well, left out. */
export const timesOf = (features: readonly TrackFeature[]): string[] =>
  features.flatMap(({ geometry, properties }) => {
    if (geometry.type === 'LineString') return properties.coordTimes ?? []
    return properties.kind === 'track' ? [properties.recordedAt ?? ''] : []
  })

/** The points of each track segment of a GPX document. @throws where it is not valid GPX 1.1 */
export function segmentsOf(gpx: string) {
  const document = parseXml(gpx)
  const faults = gpxFaults(document)
  if (faults.length > 0) throw new Error(faults.join('; '))
  const track = document.children.find(({ name }) => name === 'trk')
  const segments = track?.children.filter(({ name }) => name === 'trkseg') ?? []
  return segments.map(({ children }) => children)
}
