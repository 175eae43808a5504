import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Point } from '@palanquin/domain/point'

/** Beside the repository, never in it: the recordings belong to others. */
const RECORDINGS_FOLDER = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))
const KMH_PER_MPS = 3.6

export const RECORDINGS = [
  'walk-cerknicko-jezero.gpx',
  'hike-korita-zbevnica.gpx',
  'run-togeojson.gpx',
  'emission-jack_untracked_time_2023-03-12.slim.json',
  'emission-shankari_2016-independence_day_jump_bus_start.slim.json',
  'emission-gabe_2016-06-15.slim.json',
] as const
export type RecordingName = (typeof RECORDINGS)[number]

/** A recorded point as it stands in the file, in the project's units. */
export type RecordedPoint = Omit<Point, 'recordedAt'> & { readonly recordedAt: number | null }

/** A recorded walk, in stored order, nothing dropped or sorted. */
export function readRecording(name: RecordingName): RecordedPoint[] | null {
  const file = `${RECORDINGS_FOLDER}${name}`
  if (!existsSync(file)) {
    console.warn(`skipped: the recording ${basename(file)} is not there (expected in ../shared/data)`)
    return null
  }
  const content = readFileSync(file, 'utf8')
  return name.endsWith('.gpx') ? parseGpx(content) : parseEmission(content)
}

/** The points that have a time, moved as a whole so that the latest was recorded at `latestMs`. */
export function recordedUntil(points: readonly RecordedPoint[], latestMs: number): Point[] {
  const timed = points.flatMap((point) =>
    point.recordedAt === null ? [] : [{ ...point, recordedAt: point.recordedAt }],
  )
  const shiftMs = latestMs - timed.reduce((latest, point) => Math.max(latest, point.recordedAt), 0)
  return timed.map((point) => ({ ...point, recordedAt: point.recordedAt + shiftMs }))
}

/** Track points of a GPX 1.0 or 1.1 file. Reads what these recordings hold, not all that XML allows. */
export function parseGpx(xml: string): RecordedPoint[] {
  return [...xml.matchAll(/<trkpt\b([^>]*?)(?:\/>|>([\s\S]*?)<\/trkpt>)/g)].map(
    ([, attributes = '', inner = '']) => ({
      ...NOTHING_MEASURED,
      lat: Number(/\blat="([^"]+)"/.exec(attributes)?.[1]),
      lng: Number(/\blon="([^"]+)"/.exec(attributes)?.[1]),
      recordedAt: timeOf(/<time>([^<]+)<\/time>/.exec(inner)?.[1]),
      altitude: numberOf(/<ele>([^<]+)<\/ele>/.exec(inner)?.[1]),
    }),
  )
}

/** Location fixes of e-mission: seconds since the epoch, metres per second. */
export function parseEmission(json: string): RecordedPoint[] {
  const rows: unknown = JSON.parse(json)
  if (!Array.isArray(rows)) throw new TypeError('an e-mission recording is a JSON array')
  return rows.map((row: Record<string, unknown>) => {
    const speedMps = numberOf(row.speed_mps)
    const seconds = numberOf(row.ts)
    return {
      ...NOTHING_MEASURED,
      lat: Number(row.lat),
      lng: Number(row.lon),
      recordedAt: seconds === null ? null : Math.round(seconds * 1_000),
      accuracy: numberOf(row.accuracy),
      speed: speedMps === null ? null : speedMps * KMH_PER_MPS,
      altitude: numberOf(row.alt),
      heading: numberOf(row.heading),
    }
  })
}

const NOTHING_MEASURED = {
  kind: 'track',
  accuracy: null,
  speed: null,
  altitude: null,
  heading: null,
  source: 'auto',
} as const

function numberOf(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

function timeOf(text: string | undefined): number | null {
  return numberOf(text === undefined ? null : Date.parse(text))
}
