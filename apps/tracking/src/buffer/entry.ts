import type { Point, PointKind } from '@palanquin/domain/point'

/**
 * A point as it waits in the buffer: recordedAt (epoch ms), lat, lng, accuracy, speed, altitude, heading, and where they
 * are needed the point's own source, a check-in's note and the phone's battery. Doubles as they came.
 */
export type Tuple = readonly [
  recordedAt: number,
  lat: number,
  lng: number,
  accuracy: number | null,
  speed: number | null,
  altitude: number | null,
  heading: number | null,
  source?: string | null,
  note?: string | null,
  battery?: number | null,
]

/** `k` of an entry. */
export const KIND_LETTER = { checkin: 'c', track: 't' } as const satisfies Record<PointKind, string>

/**
 * The only field of an entry: user, kind, source, time of arrival (epoch ms), number of points and the points, by comma. No
 * `userId` has a comma, and no source either, since `VALID_SOURCES` is a list by comma; the points stand last.
 */
export const ENTRY_FIELD = 'e'
const HEAD = /^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),/

/** What an entry says. `packed` is a list of tuples in JSON, or what `PointPacker` wrote. */
export type EntryContent = {
  userId: string
  kind: keyof typeof KIND_LETTER
  source: string
  receivedAt: number
  count: number
  packed: string
}

/** The text of an entry. */
export const entryText = ({ userId, kind, source, receivedAt, count, packed }: EntryContent): string =>
  `${userId},${KIND_LETTER[kind]},${source},${receivedAt},${count},${packed}`

/** Lua: user, kind, number of points and the first number of a list of points, of an entry's fields; nil where it has none. */
export const HEAD_OF_ENTRY = `
local function headOf(entry)
  if entry[1] == '${ENTRY_FIELD}' then return string.match(entry[2], '^([^,]*),([^,]*),[^,]*,[^,]*,([^,]*),%[?%[?(%d*)') end
  local fields = {}
  for at = 1, #entry, 2 do fields[entry[at]] = entry[at + 1] end
  return fields.u, fields.k, fields.n, string.match(fields.p or '', '^%[%[(%d+)')
end
`

/** User, kind, source, time of arrival, number of points and points of an entry, or whatever else it holds; unchecked. */
export type EntryFields = Readonly<Partial<Record<string, string>>>

/** The same of one field, and of the six that earlier versions wrote. */
export function fieldsOf(message: EntryFields): EntryFields {
  const text = message[ENTRY_FIELD]
  const head = text === undefined ? null : HEAD.exec(text)
  if (text === undefined || head === null) return message
  const [before, u, k, s, r, n] = head
  return { u, k, s, r, n, p: text.slice(before.length) }
}

/** Packs a point; `entrySource` is what the entry says for all of its points. */
export function packPoint(point: Point, entrySource: string, note?: string | null): Tuple {
  const { recordedAt, lat, lng, accuracy, speed, altitude, heading, source } = point
  const own = source === entrySource ? null : source
  if (point.battery !== undefined)
    return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own, note ?? null, point.battery]
  if (note) return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own, note]
  if (own !== null) return [recordedAt, lat, lng, accuracy, speed, altitude, heading, own]
  return [recordedAt, lat, lng, accuracy, speed, altitude, heading]
}
