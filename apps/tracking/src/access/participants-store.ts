import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import { ParticipantStatus, Visibility } from '@palanquin/domain/participant'
import Type, { type Static } from 'typebox'

const READ_DEADLINE_MS = 10_000
/** A request of a participant waits for it. */
const REFRESH_DEADLINE_MS = 1_500

/** `changedAt`: `updated_at` in epoch ms. */
export type ParticipantRow = Static<typeof ParticipantRow>
const ParticipantRow = Type.Object({
  userId: Type.String(),
  displayName: Nullable(Type.String()),
  consent: Type.Boolean(),
  visibility: Visibility,
  status: ParticipantStatus,
  publicVersion: Type.Integer(),
  changedAt: Type.Number(),
})
/** The row of a change; `rowChangedAt` is a time of PostgreSQL as text, to continue behind it. */
export type ChangedRow = Static<typeof ChangedRow>
const ChangedRow = Type.Object({ ...ParticipantRow.properties, rowChangedAt: Type.String() })
/**
 * A moment before a read: the time in epoch ms, and the oldest transaction that may still have been writing. What older ones
 * wrote is visible to every later read.
 */
export type ReadMoment = Static<typeof ReadMoment>
const ReadMoment = Type.Object({ readAt: Type.Number(), oldestWriter: Type.String() })
/** In place of the oldest writer: no transaction is too old. */
export const ANY_WRITER = '0'

/** In whole milliseconds, rounded down as JavaScript's Date does. */
const epochMs = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`
const READ_MOMENT = `SELECT ${epochMs('statement_timestamp()')} AS "readAt", pg_snapshot_xmin(pg_current_snapshot())::text AS "oldestWriter"`
/** When a row changed or was made, exactly, as a flush makes rows that say when their participants were last seen, long before. */
const CHANGED_AT = 'greatest(updated_at, created_at)'
const select = ({ names }: { names: boolean }, more = '') => `
  SELECT user_id AS "userId", ${names ? 'display_name' : 'NULL::text'} AS "displayName", consent, visibility, status,
    public_version AS "publicVersion", ${epochMs('updated_at')} AS "changedAt"${more}
  FROM engagement.participants`
const page = (given: { names: boolean }) => `${select(given)} WHERE user_id > $1 ORDER BY user_id LIMIT $2`
/** A clock that was set back must not hide what changes by it. */
const changed = (given: { names: boolean }) => `${select(given, `, ${CHANGED_AT}::text AS "rowChangedAt"`)}
 WHERE ${CHANGED_AT} > least(to_timestamp($1 / 1000.0), statement_timestamp()) - $2 * interval '1 second'
   AND (${CHANGED_AT}, user_id) > (coalesce($3::text::timestamptz, '-infinity'), $4)
   AND age(xmin) <= age($6::text::xid8::xid)
 ORDER BY ${CHANGED_AT}, user_id LIMIT $5`
const one = (given: { names: boolean }) => `${select(given)} WHERE user_id = $1`

/** The present moment of PostgreSQL: whatever was committed before it, a later read shows. @throws StoreUnavailable */
export const readMoment = async (db: Database): Promise<ReadMoment> => {
  const [row] = await db.queryAs(ReadMoment, READ_MOMENT, [], { deadlineMs: READ_DEADLINE_MS })
  if (!row) throw new TypeError('PostgreSQL did not say what time it is')
  return row
}

type Names = {
  /** Whether display names are read; left out they are null. */
  names: boolean
}

/** A page in the order of the userIds, behind `after`. @throws StoreUnavailable */
export const readPage = (
  db: Database,
  { after, limit, names }: Names & { after: string; limit: number },
): Promise<ParticipantRow[]> =>
  db.queryAs(ParticipantRow, page({ names }), [after, limit], { deadlineMs: READ_DEADLINE_MS })

/**
 * Who changed since `overlapS` seconds before `since`, in epoch ms of PostgreSQL: `limit` of them in the order of their
 * changes, behind `after`, since a crowd may have changed at once. Rows that a transaction older than `oldestWriter` wrote are
 * left out. @throws StoreUnavailable
 */
export const readChanged = (
  db: Database,
  {
    since,
    overlapS,
    oldestWriter,
    after,
    limit,
    names,
  }: Names & {
    since: number
    overlapS: number
    oldestWriter: string
    after?: ChangedRow | undefined
    limit: number
  },
): Promise<ChangedRow[]> =>
  db.queryAs(
    ChangedRow,
    changed({ names }),
    [since, overlapS, after?.rowChangedAt ?? null, after?.userId ?? '', limit, oldestWriter],
    { deadlineMs: READ_DEADLINE_MS },
  )

/** Undefined when there is no such participant. @throws StoreUnavailable */
export const readOne = async (
  db: Database,
  wanted: string,
  { names }: Names,
): Promise<ParticipantRow | undefined> => {
  const [row] = await db.queryAs(ParticipantRow, one({ names }), [wanted], {
    deadlineMs: REFRESH_DEADLINE_MS,
  })
  return row
}
