import { computeLevel } from '@palanquin/domain/level'
import type { ParticipantColumns } from '../../access/participant-columns.ts'
import { encodeCursor } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'
import { PSEUDONYM_BYTES, SHOWN } from '../positions/position-columns.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { Selection } from './selection.ts'

export const FORMATS = ['json', 'geojson', 'columns'] as const
export type Format = (typeof FORMATS)[number]

export const MEDIA_TYPE: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  columns: 'application/json; charset=utf-8',
}

export type Context = { map: LiveMap; participants: ParticipantColumns; includeHidden: boolean }

/** Columns hold a millionth of a degree, about a tenth of a metre, as integers. */
const MICRODEGREES = 1_000_000
const QUOTE = 34
const COMMA = 44
const BRACE = 125
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const NULL = bytesOf('null')
const KEYS = {
  point: bytesOf('{"id":"'),
  feature: bytesOf('{"type":"Feature","id":"'),
  userId: bytesOf('"userId":"'),
  lat: bytesOf('"lat":'),
  lng: bytesOf(',"lng":'),
  geometry: bytesOf('","geometry":{"type":"Point","coordinates":['),
  properties: bytesOf(']},"properties":{'),
  accuracy: bytesOf('"accuracy":'),
  recordedAt: bytesOf('"recordedAt":'),
  level: bytesOf(',"level":'),
  displayName: bytesOf(',"displayName":'),
} as const

/** Writes the data of a response as JSON: `{points, removed?, cursor, total}`, a bare FeatureCollection, or columns. */
export function writeData(writer: ByteWriter, format: Format, selection: Selection, context: Context): void {
  const { slots, cursor, total, removed, reset } = selection
  if (format === 'columns') writeColumns(writer, slots, context)
  else {
    writer.text(format === 'json' ? '{"points":[' : '{"type":"FeatureCollection","features":[')
    // Of those who moved lately there are many deltas; a whole map is too much to keep.
    const isKept = removed !== undefined && !reset && !context.includeHidden
    for (let at = 0; at < slots.length; at++) {
      if (at > 0) writer.byte(COMMA)
      writeRow(writer, format, slots[at] ?? 0, context, isKept)
    }
    writer.text(']')
  }
  writer.text(removed ? `,"removed":${JSON.stringify(removed)}` : '')
  writer.text(reset ? ',"reset":true' : '')
  writer.text(`,"cursor":${JSON.stringify(encodeCursor(cursor))},"total":${total}}`)
}

/** The level, with the check-ins that are not flushed yet; 0 below one check-in. */
function levelOf({ columns, pendingCheckins }: LiveMap, slot: number): number {
  const checkins = (columns.checkins[slot] ?? 0) + pendingCheckins(slot)
  return checkins === 0 ? 0 : (computeLevel(columns.km[slot] ?? 0, checkins)?.level ?? 0)
}

/** How many bytes the name has as JSON; 0 for none. The public one is shown only where it stands beside the dot. */
const nameBytes = ({ map, participants, includeHidden }: Context, slot: number): number =>
  includeHidden || map.columns.shows(slot, SHOWN.named) ? participants.nameJsonBytes(slot) : 0

function writeName(writer: ByteWriter, slot: number, bytes: number, { participants }: Context): void {
  writer.written(bytes, (target, offset) => participants.copyNameJson(slot, target, offset))
}

function writeRow(
  writer: ByteWriter,
  format: 'json' | 'geojson',
  slot: number,
  context: Context,
  isKept: boolean,
): void {
  const { rows } = context.map
  const kept = isKept ? rows.get(format, slot) : undefined
  if (kept) {
    writer.bytes(kept)
    return
  }
  const start = writer.length
  if (format === 'json') writePoint(writer, slot, context)
  else writeFeature(writer, slot, context)
  if (isKept) rows.set(format, slot, writer.copyFrom(start))
}

function writePoint(writer: ByteWriter, slot: number, context: Context): void {
  const { columns } = context.map
  writer.bytes(KEYS.point)
  writePseudonym(writer, slot, context)
  writer.byte(QUOTE)
  writer.byte(COMMA)
  if (context.includeHidden) writeUserId(writer, slot, context)
  writer.bytes(KEYS.lat)
  writer.number(columns.lat[slot] ?? 0)
  writer.bytes(KEYS.lng)
  writer.number(columns.lng[slot] ?? 0)
  writer.byte(COMMA)
  writeProperties(writer, slot, context)
}

function writeFeature(writer: ByteWriter, slot: number, context: Context): void {
  const { columns } = context.map
  writer.bytes(KEYS.feature)
  writePseudonym(writer, slot, context)
  writer.bytes(KEYS.geometry)
  writer.number(columns.lng[slot] ?? 0)
  writer.byte(COMMA)
  writer.number(columns.lat[slot] ?? 0)
  writer.bytes(KEYS.properties)
  if (context.includeHidden) writeUserId(writer, slot, context)
  writeProperties(writer, slot, context)
  writer.byte(BRACE)
}

const writePseudonym = (writer: ByteWriter, slot: number, { map }: Context): void =>
  writer.base64url(map.columns.pseudonym, slot * PSEUDONYM_BYTES, (slot + 1) * PSEUDONYM_BYTES)

function writeUserId(writer: ByteWriter, slot: number, { map }: Context): void {
  writer.bytes(KEYS.userId)
  writer.text(`${map.people.idOf(slot)}",`)
}

/** What both have behind the place, and the brace behind it. */
function writeProperties(writer: ByteWriter, slot: number, context: Context): void {
  const { columns } = context.map
  const accuracyM = columns.accuracyM[slot] ?? Number.NaN
  if (!Number.isNaN(accuracyM)) {
    writer.bytes(KEYS.accuracy)
    writer.number(accuracyM)
    writer.byte(COMMA)
  }
  writer.bytes(KEYS.recordedAt)
  writer.isoTime(columns.recordedAt[slot] ?? 0)
  writer.bytes(KEYS.level)
  const level = levelOf(context.map, slot)
  if (level === 0) writer.bytes(NULL)
  else writer.number(level)
  const name = nameBytes(context, slot)
  if (name > 0) {
    writer.bytes(KEYS.displayName)
    writeName(writer, slot, name, context)
  }
  writer.byte(BRACE)
}

function writeColumns(writer: ByteWriter, slots: ArrayLike<number>, context: Context): void {
  const { map, includeHidden } = context
  const { lat, lng, accuracyM, recordedAt } = map.columns
  const column = (name: string, writeValue: (slot: number) => void): void => {
    writer.text(`${name === 'ids' ? '{' : ','}"${name}":[`)
    for (let at = 0; at < slots.length; at++) {
      if (at > 0) writer.byte(COMMA)
      writeValue(slots[at] ?? 0)
    }
    writer.text(']')
  }
  column('ids', (slot) => {
    writer.byte(QUOTE)
    writePseudonym(writer, slot, context)
    writer.byte(QUOTE)
  })
  if (includeHidden) column('userIds', (slot) => writer.text(`"${map.people.idOf(slot)}"`))
  column('lat', (slot) => writer.number(Math.round((lat[slot] ?? 0) * MICRODEGREES)))
  column('lng', (slot) => writer.number(Math.round((lng[slot] ?? 0) * MICRODEGREES)))
  column('accuracy', (slot) => {
    const metres = accuracyM[slot] ?? Number.NaN
    if (Number.isNaN(metres)) writer.bytes(NULL)
    else writer.number(Math.round(metres))
  })
  column('recordedAt', (slot) => writer.number(recordedAt[slot] ?? 0))
  column('level', (slot) => writer.number(levelOf(map, slot)))
  column('displayName', (slot) => {
    const name = nameBytes(context, slot)
    if (name === 0) writer.bytes(NULL)
    else writeName(writer, slot, name, context)
  })
}
