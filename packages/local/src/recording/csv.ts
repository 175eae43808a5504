import { LauncherError } from '../launcher-error.ts'
import { kmhOf, type RawFix } from './fix.ts'

/** How loggers call their columns; letters and digits alone, in small letters. */
type Column = 'lat' | 'lng' | 'time' | 'accuracy' | 'speedMps' | 'speedKmh' | 'altitude' | 'heading'
const COLUMNS: Record<Column, readonly string[]> = {
  lat: ['lat', 'latitude', 'y'],
  lng: ['lng', 'lon', 'long', 'longitude', 'x'],
  time: ['time', 'timestamp', 'datetime', 'recordedat', 'date', 'utc', 'tst'],
  accuracy: ['accuracy', 'acc', 'accuracym', 'horizontalaccuracy'],
  speedMps: ['speed', 'speedmps', 'speedms'],
  speedKmh: ['speedkmh', 'speedkph', 'velocitykmh', 'vel'],
  altitude: ['altitude', 'alt', 'ele', 'elevation', 'altitudem'],
  heading: ['heading', 'course', 'bearing', 'cog'],
}

/**
 * Rows of a CSV file by the names in its first line; comma, semicolon or tab. A plain `speed` is metres per second, as
 * GPS loggers write it; `speed_kmh` is what it says.
 */
export function readCsv(text: string): RawFix[] {
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const separator = [',', ';', '\t'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] ?? ','
  const names = cellsOf(head, separator).map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  const positionOf = (column: Column) => names.findIndex((name) => COLUMNS[column].includes(name))
  for (const column of ['lat', 'lng', 'time'] as const)
    if (positionOf(column) < 0)
      throw new LauncherError(
        `This is no GPX, GeoJSON or OwnTracks, and as CSV its first line names no column ${COLUMNS[column].join(', ')}.`,
      )
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells = cellsOf(line, separator)
      const cell = (column: Column) => cells[positionOf(column)]
      return {
        lat: cell('lat'),
        lng: cell('lng'),
        time: cell('time'),
        accuracy: cell('accuracy'),
        speed: cell('speedKmh') ?? kmhOf(cell('speedMps')),
        altitude: cell('altitude'),
        heading: cell('heading'),
      }
    })
}

/** The cells of one line; a quoted one may hold the separator, and a doubled quote (RFC 4180). */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const character = line[i]
    if (character === '"' && quoted && line[i + 1] === '"') {
      cell += '"'
      i++
    } else if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) {
      cells.push(cell.trim())
      cell = ''
    } else cell += character
  }
  return [...cells, cell.trim()]
}
