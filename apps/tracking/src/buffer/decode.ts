import { isUserId, shardOf } from '@palanquin/domain/ids'
import type { Point, PointKind } from '@palanquin/domain/point'
import { judgePoint, UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { hasForbiddenControl } from '@palanquin/domain/text'
import { KIND_LETTER } from './entry.ts'
import { PACKED_MARK, POINTS_MAX } from './packed-layout.ts'
import type { Entry } from './read.ts'
import { unpackPoints } from './unpack-points.ts'

/** A checked point of the buffer: it can be stored. */
export type BufferedPoint = {
  readonly entryId: string
  /** Its index in the entry. */
  readonly position: number
  readonly userId: string
  readonly point: Point
  readonly note: string | null
  /** Epoch ms. */
  readonly receivedAt: number
}

/** What cannot be stored: a whole entry (position -1), or one point of it. */
export type SetAside = { readonly entry: Entry; readonly position: number; readonly reason: string }

export const WHOLE_ENTRY = -1
const TEXT_CHARACTERS_MAX = 64
const NOTE_CHARACTERS_MAX = 4_000
/** Times of arrival outside 2020 to 2100 are invalid. */
const RECEIVED_AT_MIN = Date.UTC(2020, 0)
const RECEIVED_AT_MAX = Date.UTC(2100, 0)

type Decoded = { points: BufferedPoint[]; setAside: SetAside[] }

/** The fields of an entry that hold for all of its points, and the points unchecked. */
type Head = { userId: string; kind: PointKind; source: string; receivedAt: number }
type Opened = Head & { tuples: readonly unknown[] }

/** Checks an entry as untrusted input: valid points are stored, the rest is set aside with its reason. */
export function decodeEntry(entry: Entry, shard: number): Decoded {
  const opened = openEntry(entry, shard)
  if (typeof opened === 'string')
    return { points: [], setAside: [{ entry, position: WHOLE_ENTRY, reason: opened }] }
  const { userId, receivedAt, tuples } = opened
  const decoded: Decoded = { points: [], setAside: [] }
  tuples.forEach((tuple, position) => {
    const outcome = decodeTuple(tuple, opened)
    if (typeof outcome === 'string') decoded.setAside.push({ entry, position, reason: outcome })
    else decoded.points.push({ entryId: entry.id, position, userId, receivedAt, ...outcome })
  })
  return decoded
}

/** Or why nothing of the entry can be stored. */
export function openEntry(entry: Entry, shard: number): Opened | string {
  const head = openHead(entry, shard)
  if (typeof head === 'string') return head
  const tuples = parseTuples(entry.fields.p)
  return typeof tuples === 'string' ? tuples : { ...head, tuples }
}

/** The fields alone, without the points. */
export function openHead(entry: Entry, shard: number): Head | string {
  const { u: userId, s: source } = entry.fields
  const kind = kindOf(entry.fields.k)
  const receivedAt = Number(entry.fields.r)
  if (!isUserId(userId)) return 'u is no userId'
  if (shardOf(userId) !== shard) return 'the userId belongs to another shard'
  if (kind === null) return 'k is neither c nor t'
  if (!isText(source, TEXT_CHARACTERS_MAX)) return 's is no source'
  if (!(receivedAt >= RECEIVED_AT_MIN && receivedAt <= RECEIVED_AT_MAX)) return 'r is no time of arrival'
  return { userId, kind, source, receivedAt }
}

const kindOf = (letter: string | undefined): PointKind | null =>
  letter === KIND_LETTER.checkin ? 'checkin' : letter === KIND_LETTER.track ? 'track' : null

const isText = (value: unknown, charactersMax: number): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= charactersMax &&
  !hasForbiddenControl(value)

/** The tuples of `p`, or why it holds none. A list in JSON is of a check-in, of an unusual sync, or of an earlier version. */
function parseTuples(packed = ''): readonly unknown[] | string {
  if (packed.startsWith(PACKED_MARK)) return unpackPoints(packed)
  let value: unknown
  try {
    value = JSON.parse(packed)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return 'p is no JSON'
  }
  if (!Array.isArray(value) || value.length === 0) return 'p is no list of points'
  return value.length > POINTS_MAX ? `p has more than ${POINTS_MAX} points` : value
}

/** The point of a tuple, or why it is none. */
export function decodeTuple(tuple: unknown, entry: Head): { point: Point; note: string | null } | string {
  if (!Array.isArray(tuple)) return 'not a point'
  const [recordedAt, lat, lng, accuracy, speed, altitude, heading, own, note, battery]: unknown[] = tuple
  if (typeof recordedAt !== 'number') return 'recordedAt is no number'
  const source = own === undefined || own === null ? entry.source : own
  if (source !== entry.source && !isText(source, TEXT_CHARACTERS_MAX)) return 'the source is no text'
  if (note !== undefined && note !== null && !isText(note, NOTE_CHARACTERS_MAX)) return 'the note is no text'
  const verdict = judgePoint(
    { recordedAt, lat, lng, accuracy, speed, altitude, heading, source, battery },
    {
      sources: [source],
      defaultSource: source,
      kind: entry.kind,
      // It was judged on arrival, perhaps by a process that did not know the time.
      now: entry.receivedAt,
      unsureMs: UNSURE_CLOCK_MS,
    },
  )
  return 'point' in verdict
    ? { point: verdict.point, note: note ?? null }
    : `the point is ${verdict.rejected}`
}
