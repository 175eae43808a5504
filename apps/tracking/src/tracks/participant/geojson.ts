import { toIso } from '@palanquin/domain/time'
import type { Step } from './pieces.ts'
import type { TrackPoint } from './stored.ts'

/** A line's times are kept until its coordinates are written: a line ends after a day of a point a second. */
const LINE_POINTS_MAX = 86_400

/**
 * The track as GeoJSON (RFC 7946), piece by piece: a FeatureCollection with a LineString for each part without a gap,
 * whose times are in `coordTimes`, one for each position, as map tools know them from GPX; a Point for a part of one
 * position; and after each part its check-ins, as Points of their own.
 */
export async function* geoJsonOf(steps: AsyncIterable<Step[]>): AsyncGenerator<string> {
  const part = openPart()
  yield '{"type":"FeatureCollection","features":['
  for await (const page of steps) {
    let text = ''
    for (const { point, begins } of page) text += part.take(point, begins)
    if (text !== '') yield text
  }
  yield `${part.end()}]}`
}

/** The part of a track that is being written. */
function openPart() {
  let first: TrackPoint | null = null
  let times: number[] = []
  let checkins: TrackPoint[] = []
  let features = 0

  const feature = (text: string): string => (features++ === 0 ? text : `,${text}`)

  const end = (): string => {
    let text = ''
    if (times.length > 1) text += `]},"properties":${linePropertiesOf(times)}}`
    else if (first && first.kind !== 'checkin') text += feature(pointFeatureOf(first))
    for (const checkin of checkins) text += feature(pointFeatureOf(checkin))
    first = null
    times = []
    checkins = []
    return text
  }

  const take = (point: TrackPoint, begins: boolean): string => {
    let text = begins || times.length >= LINE_POINTS_MAX ? end() : ''
    if (first === null) first = point
    else if (times.length === 1)
      text += `${feature('{"type":"Feature","geometry":{"type":"LineString","coordinates":[')}${positionOf(first)},${positionOf(point)}`
    else text += `,${positionOf(point)}`
    times.push(point.recordedAt)
    if (point.kind === 'checkin') checkins.push(point)
    return text
  }

  return { take, end }
}

/** Longitude first (RFC 7946, section 3.1.1); metres above the sea where they are known. */
const positionOf = ({ lat, lng, altitude }: TrackPoint): string =>
  altitude === null ? `[${lng},${lat}]` : `[${lng},${lat},${altitude}]`

const linePropertiesOf = (times: readonly number[]): string =>
  `{"kind":"track","from":"${toIso(times[0] ?? 0)}","to":"${toIso(times.at(-1) ?? 0)}","coordTimes":[${times
    .map((time) => `"${toIso(time)}"`)
    .join(',')}]}`

const pointFeatureOf = (point: TrackPoint): string => {
  const { kind, recordedAt, accuracy, speed, source, note } = point
  const properties = { kind, recordedAt: toIso(recordedAt), accuracy, speed, source, note }
  return `{"type":"Feature","geometry":{"type":"Point","coordinates":${positionOf(point)}},"properties":${JSON.stringify(properties)}}`
}
