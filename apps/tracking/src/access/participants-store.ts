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
const ReadTime = Type.Object({ readAt: Type.Number() })

/** In whole milliseconds, rounded down as JavaScript's Date does. */
const epochMs = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`
const READ_TIME = `SELECT ${epochMs('statement_timestamp()')} AS "readAt"`
const SELECT = `
  SELECT user_id AS "userId", display_name AS "displayName", consent, visibility, status,
    ${epochMs('updated_at')} AS "changedAt"
  FROM engagement.participants`
const PAGE = `${SELECT} WHERE user_id > $1 ORDER BY user_id LIMIT $2`
/**
 * A clock that was set back must not hide what changes by it; a row that a flush has just made says when its participant was
 * last seen, which may be long before.
 */
const CHANGED = `${SELECT} WHERE greatest(updated_at, created_at) > least(to_timestamp($1 / 1000.0), statement_timestamp()) - $2 * interval '1 second'`
const ONE = `${SELECT} WHERE user_id = $1`

/** The time of PostgreSQL in epoch ms: whatever was committed before it, a later read shows. @throws StoreUnavailable */
export const readTime = async (db: Database): Promise<number> => {
  const [row] = await db.queryAs(ReadTime, READ_TIME, [], { deadlineMs: READ_DEADLINE_MS })
  if (!row) throw new TypeError('PostgreSQL did not say what time it is')
  return row.readAt
}

/** A page in the order of the userIds, behind `after`. @throws StoreUnavailable */
export const readPage = (db: Database, after: string, limit: number): Promise<ParticipantRow[]> =>
  db.queryAs(ParticipantRow, PAGE, [after, limit], { deadlineMs: READ_DEADLINE_MS })

/** Who changed since so many seconds before `since`, in epoch ms of PostgreSQL. @throws StoreUnavailable */
export const readChanged = (db: Database, since: number, overlapS: number): Promise<ParticipantRow[]> =>
  db.queryAs(ParticipantRow, CHANGED, [since, overlapS], { deadlineMs: READ_DEADLINE_MS })

/** Undefined when there is no such participant. @throws StoreUnavailable */
export const readOne = async (db: Database, wanted: string): Promise<ParticipantRow | undefined> => {
  const [row] = await db.queryAs(ParticipantRow, ONE, [wanted], { deadlineMs: REFRESH_DEADLINE_MS })
  return row
}
