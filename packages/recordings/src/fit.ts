import FitParser from 'fit-file-parser'
import type { Found } from './found.ts'
import { Unreadable } from './unreadable.ts'

/** The parser wants the whole file at once. Nine days of a point a second are 16 MB. */
const BYTES_MAX = 20_971_520

/** Points of a Garmin FIT file; those recorded indoors have no positions. @throws Unreadable */
export function readFit(bytes: Uint8Array, found: Found): void {
  if (bytes.length > BYTES_MAX)
    throw new Unreadable('too_large', 'This FIT file is larger than 20 MiB; please send it in parts.')
  const parser = new FitParser({ force: false, mode: 'list', speedUnit: 'km/h', lengthUnit: 'm' })
  let problem: string | undefined
  // Of its own, as the parser wants the buffer that it begins.
  const copy = bytes.slice()
  try {
    parser.parse(copy.buffer, (error, data) => {
      problem = error
      for (const record of data?.records ?? [])
        found.add({
          lat: record.position_lat,
          lng: record.position_long,
          time: record.timestamp instanceof Date ? record.timestamp.getTime() : record.timestamp,
          accuracy: record.gps_accuracy,
          speed: record.enhanced_speed ?? record.speed,
          altitude: record.enhanced_altitude ?? record.altitude,
        })
    })
  } catch (error) {
    if (error instanceof Unreadable) throw error
    problem = error instanceof Error ? error.message : String(error)
  }
  if (problem !== undefined) throw new Unreadable('damaged', `This FIT file is damaged: ${problem}.`)
}
