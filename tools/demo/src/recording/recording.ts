import { EPOCH_SECONDS_BELOW, parseInstant } from '@palanquin/domain/time'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { readCsv } from './csv.ts'
import { measured, numberOf, type RawFix, type RecordedFix } from './fix.ts'
import { readGeoJson } from './geojson.ts'
import { readGpx } from './gpx.ts'
import { readOwnTracks } from './owntracks.ts'

export type Recording = {
  format: string
  /** In the order of the file. */
  fixes: RecordedFix[]
  withoutTime: number
  withoutPlace: number
}

/**
 * Reads a recording of any format, recognised by its content. @throws LauncherError when it is none of them
 */
export function readRecording(content: string): Recording {
  const text = content.trimStart() // a byte order mark counts as a blank
  const start = text.slice(0, 1)
  if (start === '<') return recordingOf('GPX', readGpx(text))
  if (start === '{' || start === '[' || /^\d{4}-\d\d-\d\dT\S+\t/.test(text)) {
    const owntracks = readOwnTracks(text)
    if (owntracks) return recordingOf('OwnTracks', owntracks)
    const geojson = readGeoJson(text)
    if (geojson) return recordingOf('GeoJSON', geojson)
    throw new LauncherError(
      'This JSON is neither GeoJSON nor OwnTracks: no features and no "_type": "location" in it.',
    )
  }
  return recordingOf('CSV', readCsv(text))
}

function recordingOf(format: string, raw: readonly RawFix[]): Recording {
  const recording: Recording = { format, fixes: [], withoutTime: 0, withoutPlace: 0 }
  for (const fix of raw) {
    const [lat, lng, recordedAt] = [numberOf(fix.lat), numberOf(fix.lng), instantOf(fix.time)]
    if (lat === null || lng === null) recording.withoutPlace++
    else if (recordedAt === null) recording.withoutTime++
    else
      recording.fixes.push({
        lat,
        lng,
        recordedAt,
        accuracy: measured(fix.accuracy),
        speed: measured(fix.speed),
        altitude: numberOf(fix.altitude),
        heading: measured(fix.heading),
      })
  }
  return recording
}

/** Epoch milliseconds of a time in a file: ISO 8601 (without an offset: UTC, as in GPX), epoch s or ms. */
function instantOf(value: unknown): number | null {
  const number = numberOf(value)
  if (number !== null) return Math.round(number < EPOCH_SECONDS_BELOW ? number * 1000 : number)
  if (typeof value !== 'string') return null
  const text = value.trim().replace(' ', 'T')
  return parseInstant(text) ?? parseInstant(`${text}Z`)
}
