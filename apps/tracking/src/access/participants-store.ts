import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import { ParticipantStatus, Visibility } from '@palanquin/domain/participant'
import Type, { type Static } from 'typebox'

const READ_DEADLINE_MS = 10_000
/** A request waits for it. */
const REFRESH_DEADLINE_MS = 500

/** `changedAt`: `updated_at` in epoch ms. */
export type ParticipantRow = Static<typeof ParticipantRow>
const ParticipantRow = Type.Object({
  userId: Type.String(),
  displayName: Nullable(Type.String()),
  consent: Type.Boolean(),
  visibility: Visibility,
  status: ParticipantStatus,
  changedAt: Type.Number(),
})
/** The row of a change; `rowChangedAt` is a time of PostgreSQL as text, to continue behind it. */
export type ChangedRow = Static<typeof ChangedRow>
const ChangedRow = Type.Object({ ...ParticipantRow.properties, rowChangedAt: Type.String() })
const ReadTime = Type.Object({ readAt: Type.Number() })

/** In whole milliseconds, rounded down as JavaScript's Date does. */
const epochMs = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`
const READ_TIME = `SELECT ${epochMs('statement_timestamp()')} AS "readAt"`
/** When a row changed or was made, exactly, as a flush makes rows that say when their participants were last seen, long before. */
const CHANGED_AT = 'greatest(updated_at, created_at)'
const select = ({ names }: { names: boolean }, more = '') => `
  SELECT user_id AS "userId", ${names ? 'display_name' : 'NULL::text'} AS "displayName", consent, visibility, status,
    ${epochMs('updated_at')} AS "changedAt"${more}
  FROM engagement.participants`
const page = (given: { names: boolean }) => `${select(given)} WHERE user_id > $1 ORDER BY user_id LIMIT $2`
/** A clock that was set back must not hide what changes by it. */
const changed = (given: { names: boolean }) => `${select(given, `, ${CHANGED_AT}::text AS "rowChangedAt"`)}
 WHERE ${CHANGED_AT} > least(to_timestamp($1 / 1000.0), statement_timestamp()) - $2 * interval '1 second'
   AND (${CHANGED_AT}, user_id) > (coalesce($3::text::timestamptz, '-infinity'), $4)
 ORDER BY ${CHANGED_AT}, user_id LIMIT $5`
const one = (given: { names: boolean }) => `${select(given)} WHERE user_id = $1`

/** The time of PostgreSQL in epoch ms: whatever was committed before it, a later read shows. @throws StoreUnavailable */
export const readTime = async (db: Database): Promise<number> => {
  const [row] = await db.queryAs(ReadTime, READ_TIME, [], { deadlineMs: READ_DEADLINE_MS })
  if (!row) throw new TypeError('PostgreSQL did not say what time it is')
  return row.readAt
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
 * changes, behind `after`, since a crowd may have changed at once. @throws StoreUnavailable
 */
export const readChanged = (
  db: Database,
  {
    since,
    overlapS,
    after,
    limit,
    names,
  }: Names & { since: number; overlapS: number; after?: ChangedRow | undefined; limit: number },
): Promise<ChangedRow[]> =>
  db.queryAs(
    ChangedRow,
    changed({ names }),
    [since, overlapS, after?.rowChangedAt ?? null, after?.userId ?? '', limit],
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
