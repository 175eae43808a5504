import type { Database } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import { forgetInOutbox, mentions, withoutMention } from '@palanquin/events/forget-outbox'
import { ERASED_ACTOR } from '@palanquin/events/without-participant'
import Type from 'typebox'
import { withDevicesRevoked } from '../devices/sql.ts'
import { iso } from '../iso-timestamp.ts'
import type { Counts } from './services.ts'

const OUTBOX = forgetInOutbox({ schema: 'engagement', user: '$1' })

/** The words of a search that found the participant may name them. */
const withoutWords = `(CASE WHEN type = 'participant.searched' AND ${mentions('detail', '$1')} THEN '{asked,reason}' ELSE '{}' END)::text[]`

const withoutActor = `CASE WHEN by = $1 THEN '${ERASED_ACTOR}' ELSE by END`

/** What they did for the activity stays, without the name. */
const REDACTED = `redacted AS (
  UPDATE engagement.audit SET detail = ${withoutMention('detail', '$1')} - ${withoutWords}, by = ${withoutActor}
   WHERE ${mentions('detail', '$1')} OR by = $1 RETURNING 1
), redacted_givers AS (
  UPDATE engagement.roles SET given_by = '${ERASED_ACTOR}' WHERE given_by = $1 AND user_id <> $1
), redacted_status AS (
  UPDATE engagement.activity SET by = CASE WHEN by = $1 THEN '${ERASED_ACTOR}' ELSE by END,
    outcome = CASE WHEN outcome->>'by' = $1 THEN jsonb_set(outcome, '{by}', '"${ERASED_ACTOR}"') ELSE outcome END
   WHERE by = $1 OR outcome->>'by' = $1
), redacted_takers AS (
  UPDATE engagement.lost_cases SET taken_by = '${ERASED_ACTOR}' WHERE taken_by = $1 AND user_id IS DISTINCT FROM $1
)`

/**
 * Erases engagement's rows and writes audit and event in one statement; the new audit entry has no name.
 * Feedback goes as a whole, older audit entries stay without the name, and nothing erased writes no entry.
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
), gone_sessions AS (
  DELETE FROM engagement.sessions WHERE user_id = $1 RETURNING token_hash
), listed AS (
  INSERT INTO engagement.session_changes (token_hash) SELECT token_hash FROM gone_sessions
), gone_links AS (
  DELETE FROM engagement.links WHERE user_id = $1 OR device_id = $1
), gone_shares AS (
  DELETE FROM engagement.shares WHERE user_id = $1
), gone_lost AS (
  DELETE FROM engagement.lost_cases WHERE user_id = $1 RETURNING 1
), ${withDevicesRevoked('$1')}, gone_codes AS (
  DELETE FROM engagement.recovery_codes WHERE user_id = $1
), ${REDACTED}, ${OUTBOX},
counts AS (
  SELECT (SELECT count(*) FROM gone_participants) AS participants, (SELECT count(*) FROM gone_consents) AS consents,
         (SELECT count(*) FROM gone_surveys) AS surveys, (SELECT count(*) FROM gone_feedback) AS feedback,
         (SELECT count(*) FROM gone_lost) AS lost,
         (SELECT count(*) FROM gone_roles) AS roles, (SELECT count(*) FROM gone_sessions) AS sessions, (SELECT count(*) FROM redacted) AS audit,
         (SELECT events FROM forgotten) AS events
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'participant.erased', $2::text, jsonb_build_object('erased', to_jsonb(counts) || $3::text::jsonb)
    FROM counts
   WHERE $4 OR participants + consents + surveys + feedback + lost + roles + sessions + audit + events > 0
), emitted AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'participant.erased', event FROM jsonb_array_elements($5::text::jsonb) AS list(event)
)
SELECT counts.*, ${iso('now()')} AS at FROM counts`

/** The caller, as the audit records it: a role, an administrator's userId, or `participant`. */
export type ErasedBy = string

type ErasureFacts = {
  by: ErasedBy
  elsewhere: Counts
  /** Of the participant and of each device that was joined to them. */
  events: readonly EventData<'participant.erased'>[]
}

const Count = Type.Integer({ minimum: 0 })
const COUNTS = {
  participants: Count,
  consents: Count,
  surveys: Count,
  feedback: Count,
  lost: Count,
  roles: Count,
  sessions: Count,
  audit: Count,
  events: Count,
}
const ErasedRow = Type.Object({ ...COUNTS, at: Type.String() })
const ForgottenRow = Type.Object({ events: Count })

const REDACT = `WITH ${REDACTED} SELECT`

/** Removes their outbox events first, so that none is published during the rest of the erasure. */
const FORGET_OUTBOX = `WITH ${OUTBOX} SELECT events FROM forgotten`

const PUBLISH = `
INSERT INTO engagement.outbox (type, data)
SELECT 'participant.erased', event FROM jsonb_array_elements($1::text::jsonb) AS list(event)`

/** Engagement's own part of an erasure. All throw StoreUnavailable. */
export function erasureStore(db: Database) {
  return {
    /** Returns how many of their events were not published. */
    forgetOutbox: async (userId: string): Promise<number> => {
      const [row] = await db.queryAs(ForgottenRow, FORGET_OUTBOX, [userId])
      return row?.events ?? 0
    },
    /** `elsewhere`: counts of the other services; the returned `at` is by the database's clock. */
    erase: async (
      userId: string,
      { by, elsewhere, events }: ErasureFacts,
    ): Promise<{ counts: Counts; at: string }> => {
      const isAnyErased = Object.values(elsewhere).some((count) => count > 0)
      const [row] = await db.queryAs(ErasedRow, ERASE, [
        userId,
        by,
        JSON.stringify(elsewhere),
        isAnyErased,
        JSON.stringify(events),
      ])
      if (!row) throw new Error('the erasure statement returned no row')
      const { at, ...counts } = row
      return { counts, at }
    },
    /** Takes the name out of what they did while they were being erased. */
    redact: async (userId: string): Promise<void> => {
      await db.query(REDACT, [userId])
    },
    /** Announces until when what was received of them is void. */
    publish: async (events: readonly EventData<'participant.erased'>[]): Promise<void> => {
      await db.query(PUBLISH, [JSON.stringify(events)])
    },
  }
}

export type ErasureStore = ReturnType<typeof erasureStore>
