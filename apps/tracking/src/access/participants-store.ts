import type { Database } from '@palanquin/db/client'
import { participants } from '@palanquin/db/schema/engagement'
import { ParticipantStatus } from '@palanquin/domain/participant'
import { asc, eq, gt, max, type SQL, sql } from 'drizzle-orm'
import { Compile } from 'typebox/compile'

const READ_DEADLINE_MS = 10_000
/** A request waits for it. */
const REFRESH_DEADLINE_MS = 500

/** `readAt`: what was committed before that is in the rows. */
export type ParticipantRow = {
  userId: string
  displayName: string | null
  consent: boolean
  status: ParticipantStatus
  updatedAt: Date
  readAt: Date
}

const { userId, displayName, consent, status, updatedAt } = participants
const readAt = sql`statement_timestamp()`.mapWith(updatedAt)
const COLUMNS = { userId, displayName, consent, status, updatedAt, readAt }
const statuses = Compile(ParticipantStatus)

type Stored = Omit<ParticipantRow, 'status'> & { status: string }

/** The table's constraint allows no other status. */
const rowOf = ({ status, ...row }: Stored): ParticipantRow => {
  if (!statuses.Check(status)) throw new TypeError('a participant has an unknown status')
  return { ...row, status }
}

/** A page in the order of the userIds, behind `after`. @throws StoreUnavailable */
export const readPage = async (db: Database, after: string, limit: number): Promise<ParticipantRow[]> => {
  const query = { deadlineMs: READ_DEADLINE_MS }
  const rows = await db.orm(
    (orm) =>
      orm.select(COLUMNS).from(participants).where(gt(userId, after)).orderBy(asc(userId)).limit(limit),
    query,
  )
  return rows.map(rowOf)
}

/** Who changed within so many seconds before the latest change of all. @throws StoreUnavailable */
export const readChanged = async (db: Database, overlapS: number): Promise<ParticipantRow[]> => {
  const rows = await db.orm(
    (orm) => {
      const latest = orm.select({ at: max(updatedAt) }).from(participants)
      const from: SQL = sql`(${latest}) - ${overlapS}::integer * interval '1 second'`
      return orm.select(COLUMNS).from(participants).where(gt(updatedAt, from))
    },
    { deadlineMs: READ_DEADLINE_MS },
  )
  return rows.map(rowOf)
}

/** Undefined when there is no such participant. @throws StoreUnavailable */
export const readOne = async (db: Database, wanted: string): Promise<ParticipantRow | undefined> => {
  const rows = await db.orm((orm) => orm.select(COLUMNS).from(participants).where(eq(userId, wanted)), {
    deadlineMs: REFRESH_DEADLINE_MS,
  })
  return rows.map(rowOf)[0]
}
