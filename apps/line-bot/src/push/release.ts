import type { Database } from '@palanquin/db/client'
import Type from 'typebox'
import { type Audience, chunking, chunkSizeOf, judging } from './audience.ts'
import { AudienceColumn, PersonalColumn } from './rows.ts'

/**
 * A row for each of hundreds of thousands, in one statement; no caller waits for it. After this deadline it may still
 * take effect, and other processes leave it alone meanwhile.
 */
const RELEASE_DEADLINE_MS = 60_000
const AT_ONCE_MAX = 100
export const URGENT_PRIORITY = 1

/** A push that is due: its audience of now gets it, once. */
const release = (audience: Audience) => `
WITH due AS MATERIALIZED (
  SELECT id FROM line.pushes WHERE id = $5 AND released_at IS NULL AND coalesce(scheduled_at, created_at) <= now()
     FOR UPDATE SKIP LOCKED
), ${judging(audience.to, 'EXISTS (SELECT FROM due)')}, push AS (
  UPDATE line.pushes AS p SET released_at = now(), recipients = counts.recipients, failed = counts.failed,
      blocked = counts.blocked, skipped = counts.skipped, audience = p.audience - 'userIds'
    FROM counts, due WHERE p.id = due.id AND $6::text IS NOT NULL
  RETURNING p.id, CASE WHEN p.urgent THEN ${URGENT_PRIORITY} ELSE 0 END AS priority
), ${chunking()}
SELECT id FROM push`

const waiting = (condition: string) => `
SELECT id, audience, personal, honours_stop AS "honoursStop", jsonb_typeof(messages) = 'object' AS "byLanguage"
  FROM line.pushes WHERE released_at IS NULL AND ${condition} ORDER BY urgent DESC, created_at LIMIT ${AT_ONCE_MAX}`
const SCHEDULED = waiting('scheduled_at <= now()')
const MADE = waiting('scheduled_at IS NULL')

const Waiting = Type.Object({
  id: Type.String(),
  audience: AudienceColumn,
  personal: PersonalColumn,
  honoursStop: Type.Boolean(),
  byLanguage: Type.Boolean(),
})

/** Makes the chunks of pushes that have none yet; each function returns of how many. All throw StoreUnavailable. */
export function releases(db: Pick<Database, 'query' | 'queryAs'>) {
  const releaseAll = async (which: string): Promise<number> => {
    let released = 0
    for (const { id, audience, personal, honoursStop, byLanguage } of await db.queryAs(Waiting, which)) {
      const done = await db.query(
        release(audience),
        [
          audience.to === 'users' ? audience.userIds : [],
          honoursStop,
          chunkSizeOf(personal),
          byLanguage,
          id,
          'asOf' in audience ? audience.asOf : '',
        ],
        { deadlineMs: RELEASE_DEADLINE_MS },
      )
      released += done.length
    }
    return released
  }
  return {
    /** Those whose time has come. */
    releaseDue: () => releaseAll(SCHEDULED),
    /** Those for now, to a wide audience. */
    releaseMade: () => releaseAll(MADE),
  }
}
