import { toIso } from '@palanquin/domain/time'
import type { Step } from './segments.ts'
import type { TrackPoint } from './store.ts'

/** The points of a line stay in memory until it ends; this many are some five megabytes. */
const LINE_POINTS_MAX = 20_000

/** `points`: every point is a feature, too; `lines`: only check-ins are, and a line that is cut goes on from its last point. */
export type Drawn = 'points' | 'lines'

/**
 * The track as GeoJSON (RFC 7946), in chunks: a LineString for each part, with the times of its positions in `coordTimes`
 * (as map tools write them from GPX) and the other measurements in `coordinateProperties`, then its points or check-ins.
 */
export async function* geoJsonOf(steps: AsyncIterable<Step[]>, drawn: Drawn): AsyncGenerator<string> {
  const part = openPart(drawn)
  yield '{"type":"FeatureCollection","features":['
  for await (const page of steps) {
    let text = ''
    for (const { point, begins } of page) text += part.take(point, begins)
    if (text !== '') yield text
  }
  yield `${part.end()}]}`
}

/** Writes the parts of a track one after another. */
function openPart(drawn: Drawn) {
  let points: TrackPoint[] = []
  let features = 0

  const feature = (text: string): string => (features++ === 0 ? text : `,${text}`)
  const standsAlone = ({ kind }: TrackPoint) => drawn === 'points' || kind === 'checkin'

  const end = (): string => {
    let text = ''
    const [only] = points
    if (points.length > 1) text += `]},"properties":${linePropertiesOf(points)}}`
    for (const point of points)
      if (standsAlone(point) || (points.length === 1 && point === only))
        text += feature(pointFeatureOf(point))
    points = []
    return text
  }

  /** Ends a line that is too long; in `lines` the next one starts at its last point, so that their length is the distance. */
  const cut = (): string => {
    const last = points.at(-1)
    const text = end()
    if (drawn === 'lines' && last) points = [last]
    return text
  }

  const take = (point: TrackPoint, begins: boolean): string => {
    let text = begins ? end() : points.length >= LINE_POINTS_MAX ? cut() : ''
    const [first] = points
    if (first && points.length === 1)
      text += `${feature('{"type":"Feature","geometry":{"type":"LineString","coordinates":[')}${positionOf(first)},${positionOf(point)}`
    else if (first) text += `,${positionOf(point)}`
    points.push(point)
    return text
  }

  return { take, end }
}

/** Longitude first (RFC 7946, section 3.1.1); metres above the sea where they are known. */
const positionOf = ({ lat, lng, altitude }: TrackPoint): string =>
  altitude === null ? `[${lng},${lat}]` : `[${lng},${lat},${altitude}]`

function linePropertiesOf(points: readonly TrackPoint[]): string {
  const times = points.map(({ recordedAt }) => toIso(recordedAt))
  return JSON.stringify({
    kind: 'track',
    from: times[0],
    to: times.at(-1),
    coordTimes: times,
    coordinateProperties: {
      accuracy: points.map(({ accuracy }) => accuracy),
      speed: points.map(({ speed }) => speed),
      source: points.map(({ source }) => source),
      kind: points.map(({ kind }) => kind),
    },
  })
}

const pointFeatureOf = (point: TrackPoint): string => {
  const { kind, recordedAt, accuracy, speed, source, note } = point
  const properties = { kind, recordedAt: toIso(recordedAt), accuracy, speed, source, note }
  return `{"type":"Feature","geometry":{"type":"Point","coordinates":${positionOf(point)}},"properties":${JSON.stringify(properties)}}`
}
