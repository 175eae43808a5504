import { greatCircleKm } from '@palanquin/domain/geo'
import { gpxFaults, parseXml } from './gpx.ts'

/** A feature of a track in GeoJSON, as far as tests check it. */
export type TrackFeature = {
  geometry: { type: 'LineString'; coordinates: number[][] } | { type: 'Point'; coordinates: number[] }
  properties: {
    kind: string
    coordTimes?: string[]
    recordedAt?: string
    accuracy?: number | null
    speed?: number | null
    source?: string
    note?: string | null
  }
}

/** The times of all positions of the lines. */
export const timesOf = (features: readonly TrackFeature[]): string[] =>
  features.flatMap(({ geometry, properties }) =>
    geometry.type === 'LineString' ? (properties.coordTimes ?? []) : [],
  )

/** The points of Point features, as the API takes them. */
export const pointsOf = (features: readonly TrackFeature[]) =>
  features.flatMap(({ geometry, properties: { kind, recordedAt, accuracy, speed, source } }) => {
    if (geometry.type !== 'Point') return []
    const [lng, lat] = geometry.coordinates
    return [{ lat, lng, kind, recordedAt, accuracy, speed, source }]
  })

/** The points of GPX segments, as the API takes them. */
export const gpxPointsOf = (segments: ReturnType<typeof segmentsOf>) =>
  segments.flat().map(({ attributes, children }) => {
    const extensions = children.find(({ name }) => name === 'extensions')?.children ?? []
    const field = (name: string) => extensions.find((one) => one.name.replace(/^.*:/, '') === name)?.text
    const number = (name: string) => (field(name) === undefined ? null : Number(field(name)))
    return {
      lat: Number(attributes.lat),
      lng: Number(attributes.lon),
      kind: field('kind'),
      recordedAt: field('recordedAt'),
      source: field('source'),
      accuracy: number('accuracy'),
      speed: number('speed'),
    }
  })

/** The length of lines of `[lng, lat]`, in kilometres. */
export const lengthKm = (lines: readonly (readonly (readonly number[])[])[]): number =>
  lines.reduce(
    (sum, line) =>
      line.slice(1).reduce((km, [lng = 0, lat = 0], index) => {
        const [fromLng = 0, fromLat = 0] = line[index] ?? []
        return km + greatCircleKm({ from: { lat: fromLat, lng: fromLng }, to: { lat, lng } })
      }, sum),
    0,
  )

/** The points of each track segment of a GPX document. @throws where it is not valid GPX 1.1 */
export function segmentsOf(gpx: string) {
  const document = parseXml(gpx)
  const faults = gpxFaults(document)
  if (faults.length > 0) throw new Error(faults.join('; '))
  const track = document.children.find(({ name }) => name === 'trk')
  const segments = track?.children.filter(({ name }) => name === 'trkseg') ?? []
  return segments.map(({ children }) => children)
}
