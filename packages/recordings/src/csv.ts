import { CsvError, parse } from 'csv-parse/sync'
import { numberOf } from './fix.ts'
import type { Found } from './found.ts'
import { Unreadable } from './unreadable.ts'

/** Column names of known loggers: letters and digits only, lower case, without the unit in brackets. */
type Column = 'lat' | 'lng' | 'time' | 'accuracy' | 'speed' | 'altitude' | 'heading'
const COLUMNS: Record<Column, readonly string[]> = {
  lat: ['lat', 'latitude', 'y'],
  lng: ['lng', 'lon', 'long', 'longitude', 'x'],
  time: ['recordedat', 'timestamp', 'datetime', 'time', 'utc', 'tst', 'date'],
  accuracy: ['accuracy', 'acc', 'accuracym', 'horizontalaccuracy'],
  speed: ['speed', 'velocity', 'speedmps', 'speedms', 'speedkmh', 'speedkph', 'velocitykmh', 'vel'],
  altitude: ['altitude', 'alt', 'ele', 'elevation', 'altitudem', 'height'],
  heading: ['heading', 'course', 'bearing', 'cog', 'direction'],
}
/** km/h per unit named in a column's brackets. */
const KMH_OF_UNIT: Record<string, number> = { 'm/s': 3.6, 'km/h': 1, mph: 1.609_344, kn: 1.852, knots: 1.852 }
const IS_KMH = /kmh|kph|^vel$/
const SEPARATORS = [',', ';', '\t']
/** Excel's own first line. */
const SEPARATOR_LINE = /^sep=.\r?\n/i
const ROW_CHARACTERS_MAX = 65_536
const DECIMAL_COMMA = /^([-+]?\d+),(\d+(?:[eE][-+]?\d+)?)$/

type Header = { name: string; unit: string | undefined }

/** Rows by the names in the first line. `speed` is m/s; phyphox counts seconds since its start. @throws Unreadable */
export function readCsv(text: string, found: Found): void {
  const body = text.replace(SEPARATOR_LINE, '')
  const delimiter = separatorOf(body)
  let columns: Columns | undefined
  eachRow(body, delimiter, (row) => {
    if (!columns) {
      columns = columnsOf(row)
      return
    }
    const { positions, kmhFactor } = columns
    const cell = (column: Column) => {
      const value = row[positions[column]]
      return delimiter === ',' ? value : value?.replace(DECIMAL_COMMA, '$1.$2')
    }
    const speed = numberOf(cell('speed'))
    found.add({
      lat: cell('lat'),
      lng: cell('lng'),
      time: cell('time'),
      accuracy: cell('accuracy'),
      speed: speed === null ? null : speed * kmhFactor,
      altitude: cell('altitude'),
      heading: cell('heading'),
    })
  })
  columns ??= columnsOf([])
}

type Columns = { positions: Record<Column, number>; kmhFactor: number }

function columnsOf(head: readonly string[]): Columns {
  const headers = head.map(headerOf)
  const positions = {
    lat: needed('lat', headers),
    lng: needed('lng', headers),
    time: needed('time', headers),
    accuracy: positionOf('accuracy', headers),
    speed: positionOf('speed', headers),
    altitude: positionOf('altitude', headers),
    heading: positionOf('heading', headers),
  }
  return { positions, kmhFactor: kmhFactorOf(headers[positions.speed]) }
}

/** One row at a time, none of which is kept. @throws Unreadable on unclosed quotes and the like */
function eachRow(body: string, delimiter: string, onRow: (row: string[]) => void): void {
  try {
    parse(body, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: ROW_CHARACTERS_MAX,
      on_record: (row: string[]) => {
        onRow(row)
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Unreadable('damaged', `This CSV cannot be read: ${error.message}.`)
  }
}

/** The most frequent separator of the first line. */
function separatorOf(body: string): string {
  const [head = ''] = body.split('\n', 1)
  const bare = head.replaceAll(/"[^"]*"/g, '')
  return SEPARATORS.toSorted((a, b) => bare.split(b).length - bare.split(a).length)[0] ?? ','
}

function headerOf(text: string): Header {
  const [, name = text, unit] = /^([^([]*)[([]([^)\]]*)[)\]]/.exec(text) ?? []
  return { name: name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), unit: unit?.trim().toLowerCase() }
}

/** The column with the first known name in the list; -1 where there is none. */
function positionOf(column: Column, headers: readonly Header[]): number {
  const names = headers.map(({ name }) => name)
  return COLUMNS[column].map((name) => names.indexOf(name)).find((position) => position >= 0) ?? -1
}

function needed(column: Column, headers: readonly Header[]): number {
  const position = positionOf(column, headers)
  if (position >= 0) return position
  throw new Unreadable(
    'unknown_format',
    `This is no format that is known (GPX, KML, TCX, FIT, GeoJSON, OwnTracks, Google), and as CSV its first line has no column ${COLUMNS[column].join(', ')}.`,
  )
}

const kmhFactorOf = (speed: Header | undefined): number =>
  KMH_OF_UNIT[speed?.unit ?? ''] ?? (IS_KMH.test(speed?.name ?? '') ? 1 : 3.6)
