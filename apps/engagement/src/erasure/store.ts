import type { Database, Row } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import type { Role } from '@palanquin/domain/role'
import { forgetInOutbox, mentions, withoutMention } from '@palanquin/events/forget-outbox'
import { iso } from '../iso-timestamp.ts'
import type { Counts } from './services.ts'

const OUTBOX = forgetInOutbox({ schema: 'engagement', user: '$1' })

/**
 * What engagement holds of a participant, that they were erased, and the event for the other processes: one statement.
 * Their feedback is theirs and goes as a whole. What administrators did stays, without saying to whom. The new entry of
 * the audit names nobody; there is none where there was nothing to erase.
 */
const ERASE = `
WITH gone_participants AS (
  DELETE FROM engagement.participants WHERE user_id = $1 RETURNING 1
), gone_consents AS (
  DELETE FROM engagement.consent_history WHERE user_id = $1 RETURNING 1
), gone_surveys AS (
  DELETE FROM engagement.survey_history WHERE user_id = $1 RETURNING 1
), gone_feedback AS (
  DELETE FROM engagement.feedback WHERE user_id = $1 RETURNING 1
), gone_roles AS (
  DELETE FROM engagement.roles WHERE user_id = $1 RETURNING 1
), unnamed AS (
  UPDATE engagement.audit SET detail = ${withoutMention('detail', '$1')} WHERE ${mentions('detail', '$1')} RETURNING 1
), ${OUTBOX},
counts AS (
  SELECT (SELECT count(*) FROM gone_participants) AS participants, (SELECT count(*) FROM gone_consents) AS consents,
         (SELECT count(*) FROM gone_surveys) AS surveys, (SELECT count(*) FROM gone_feedback) AS feedback,
         (SELECT count(*) FROM gone_roles) AS roles, (SELECT count(*) FROM unnamed) AS audit,
         (SELECT events FROM forgotten) AS events
), noted AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'participant.erased', $2::text, jsonb_build_object('erased', to_jsonb(counts) || $3::text::jsonb)
    FROM counts
   WHERE $4 OR participants + consents + surveys + feedback + roles + audit + events > 0
), told AS (
  INSERT INTO engagement.outbox (type, data) SELECT 'participant.erased', $5::text::jsonb
)
SELECT counts.*, ${iso('now()')} AS at FROM counts`

/** Who wanted it, as the audit says it. */
export type ErasedBy = Role | 'participant'

type ErasedRow = Row & { at: string }

/** Their events that wait in the outbox, on their own: nothing may be told of them while the rest is being erased. */
const FORGET_OUTBOX = `WITH ${OUTBOX} SELECT events FROM forgotten`

/** Engagement's own part of an erasure. All throw StoreUnavailable. */
export function erasureStore(db: Database) {
  return {
    /** How many events about them did not go out. */
    forgetOutbox: async (userId: string): Promise<number> => {
      const [row] = await db.query<{ events: number }>(FORGET_OUTBOX, [userId])
      return row?.events ?? 0
    },
    /** `elsewhere`: what the other services have erased already. `at`: when, by the database's clock. */
    erase: async (
      userId: string,
      { by, elsewhere, tell }: { by: ErasedBy; elsewhere: Counts; tell: EventData<'participant.erased'> },
    ): Promise<{ counts: Counts; at: string }> => {
      const anything = Object.values(elsewhere).some((count) => count > 0)
      const [row] = await db.query<ErasedRow>(ERASE, [
        userId,
        by,
        JSON.stringify(elsewhere),
        anything,
        JSON.stringify(tell),
      ])
      if (!row) throw new Error('an erasure always answers with its counts')
      const { at, ...counts } = row
      return { counts: numbersOf(counts), at }
    },
  }
}

export type ErasureStore = ReturnType<typeof erasureStore>

const numbersOf = (row: Row): Counts =>
  Object.fromEntries(Object.entries(row).map(([name, value]): [string, number] => [name, Number(value)]))
