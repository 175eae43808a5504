import { readCsv } from './csv.ts'
import { readFit } from './fit.ts'
import type { RecordedFix } from './fix.ts'
import { type Found, foundNothing } from './found.ts'
import { type JsonFormat, readJsonDocument } from './json/document.ts'
import { readLines } from './json/owntracks.ts'
import { piecesOf, textOf } from './text.ts'
import { Unreadable } from './unreadable.ts'
import { documentOfKmz } from './unzip.ts'
import { readGpx } from './xml/gpx.ts'
import { readKml } from './xml/kml.ts'
import { readTcx } from './xml/tcx.ts'

export const FORMATS = [
  'gpx',
  'kml',
  'kmz',
  'tcx',
  'fit',
  'geojson',
  'csv',
  'owntracks',
  'google-records',
  'google-timeline',
  'google-semantic',
] as const
export type Format = (typeof FORMATS)[number]

export type Recording = {
  format: Format
  /** In the order of the file. */
  fixes: RecordedFix[]
  withoutTime: number
  withoutPlace: number
  /** The file ends before it should: the phone died, or the transfer did. */
  incomplete: boolean
}

/** What comes out of a compressed file at most. */
const UNPACKED_BYTES_MAX = 209_715_200
const HEAD_CHARACTERS = 65_536
const FIT_MARK = '.FIT'
const FIT_MARK_AT = 8
const ZIP_MARK = 'PK\u0003\u0004'
const EMPTY_ZIP_MARK = 'PK\u0005\u0006'
const XML_ROOT = /<(?:[\w.-]+:)?(gpx|kml|TrainingCenterDatabase)[\s/>]/
const RECORDER_LINE = /^\d{4}-\d\d-\d\dT\S+\t/
/** A line that is an object, and another behind it. */
const JSON_LINES = /^\{[^\n]*\}[ \t\r]*\n\s*\{/

/** Reads a recording of any known format, recognised by its content, whole or not at all. @throws Unreadable */
export function readRecording(
  bytes: Uint8Array,
  { unpackedBytesMax = UNPACKED_BYTES_MAX }: { unpackedBytesMax?: number } = {},
): Recording {
  const found = foundNothing()
  const read = (): { format: Format; incomplete: boolean } => {
    if (bytes.length === 0) throw new Unreadable('damaged', 'This file is empty.')
    if (latin1(bytes, FIT_MARK_AT, FIT_MARK.length) === FIT_MARK) {
      readFit(bytes, found)
      return { format: 'fit', incomplete: false }
    }
    const mark = latin1(bytes, 0, ZIP_MARK.length)
    if (mark === ZIP_MARK || mark === EMPTY_ZIP_MARK)
      return { format: 'kmz', incomplete: readKml(textOf(documentOfKmz(bytes, unpackedBytesMax)), found) }
    return readText(bytes, found)
  }
  const { format, incomplete } = read()
  const { fixes, withoutPlace, withoutTime } = found
  return { format, fixes, withoutPlace, withoutTime, incomplete }
}

const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

function readText(bytes: Uint8Array, found: Found): { format: Format; incomplete: boolean } {
  const texts = () => textOf(piecesOf(bytes))
  const [head = ''] = texts()
  if (head.startsWith('<')) return readXmlRecording(head.slice(0, HEAD_CHARACTERS), texts(), found)
  if (RECORDER_LINE.test(head) || JSON_LINES.test(head)) {
    readLines(texts(), found)
    return { format: 'owntracks', incomplete: false }
  }
  if (head.startsWith('{') || head.startsWith('[')) {
    const format: JsonFormat = readJsonDocument(texts(), found)
    return { format, incomplete: false }
  }
  readCsv([...texts()].join(''), found)
  return { format: 'csv', incomplete: false }
}

function readXmlRecording(
  head: string,
  texts: Iterable<string>,
  found: Found,
): { format: Format; incomplete: boolean } {
  const [, root] = XML_ROOT.exec(head) ?? []
  switch (root) {
    case 'gpx':
      return { format: 'gpx', incomplete: readGpx(texts, found) }
    case 'kml':
      return { format: 'kml', incomplete: readKml(texts, found) }
    case 'TrainingCenterDatabase':
      return { format: 'tcx', incomplete: readTcx(texts, found) }
    default:
      throw new Unreadable('unknown_format', 'This XML is none that is known: neither GPX nor KML nor TCX.')
  }
}
