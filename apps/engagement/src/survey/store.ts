import type { Database } from '@palanquin/db/client'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { Survey } from '@palanquin/domain/survey'
import Type from 'typebox'
import { PARTICIPANT_CHANGED, sharesEnded } from '../participants/sql.ts'
import type { Sender } from '../participants/store.ts'

/**
 * A submission in one statement: answers, phone number and consent (by the rules of `participants/sql.ts`), both
 * histories and the event. `before` locks the row, so submissions of one participant are serialized, and a repeated
 * one changes nothing. Nothing is stored after the end of the activity, nor where the row was created concurrently:
 * `before` cannot see it, and the caller tries again.
 */
const SUBMIT = `
WITH activity AS (
  SELECT status <> 'ended' AS open FROM engagement.activity WHERE id = 1
), before AS (
  SELECT survey, survey_completed_at, phone, consent, consent_version, consent_at
  FROM engagement.participants WHERE user_id = $1 FOR NO KEY UPDATE
), wanted AS (
  SELECT
    $2::text::jsonb AS survey,
    (before.survey_completed_at IS NULL OR before.survey IS DISTINCT FROM $2::text::jsonb) AS answers_changed,
    CASE WHEN $3::boolean THEN $4::text ELSE before.phone END AS phone,
    coalesce($5::boolean, before.consent, false) AS consent,
    CASE WHEN $5::boolean IS NULL THEN before.consent_version END AS consent_version,
    $5::boolean IS NOT NULL AND (before.consent_at IS NULL
      OR before.consent IS DISTINCT FROM $5::boolean OR before.consent_version IS NOT NULL) AS consent_changed,
    before.consent_at,
    clock_timestamp() AS now
  FROM activity LEFT JOIN before ON true WHERE open AND ${unlessErased('$6')}
), changed AS (
  INSERT INTO engagement.participants AS p
    (user_id, survey, survey_first_at, survey_completed_at, phone, consent, consent_version, consent_at)
  SELECT $1, survey, now, now, phone, consent, consent_version, CASE WHEN consent_changed THEN now ELSE consent_at END
  FROM wanted
  ON CONFLICT (user_id) DO UPDATE SET
    survey = excluded.survey,
    survey_first_at = coalesce(p.survey_first_at, excluded.survey_first_at),
    survey_completed_at = CASE WHEN (SELECT answers_changed FROM wanted) THEN excluded.survey_completed_at
      ELSE p.survey_completed_at END,
    phone = excluded.phone,
    consent = excluded.consent, consent_version = excluded.consent_version, consent_at = excluded.consent_at,
    updated_at = clock_timestamp()
  WHERE EXISTS (SELECT FROM before)
    AND ((SELECT answers_changed OR consent_changed FROM wanted) OR p.phone IS DISTINCT FROM excluded.phone)
  RETURNING p.*
), submitted AS (
  INSERT INTO engagement.survey_history (user_id, answers, submitted_at)
  SELECT user_id, changed.survey, survey_completed_at FROM changed, wanted WHERE answers_changed
), consented AS (
  INSERT INTO engagement.consent_history (user_id, consent, version, visibility, recorded_at)
  SELECT user_id, changed.consent, changed.consent_version, changed.visibility, changed.consent_at FROM changed, wanted WHERE consent_changed
), ${PARTICIPANT_CHANGED}, ${sharesEnded({ of: '$1', where: 'NOT $5::boolean AND (SELECT open FROM activity)' })}
SELECT open, EXISTS (SELECT FROM before) AS known, EXISTS (SELECT FROM changed) AS changed FROM activity`

const SubmittedRow = Type.Object({ open: Type.Boolean(), known: Type.Boolean(), changed: Type.Boolean() })

/** An absent phone number or consent stays unchanged. `phone` in E.164, null removes it. */
export type Submission = Sender & { answers: Survey; phone?: string | null; consent?: boolean }

/** `overtaken`: the participant was created concurrently; another attempt finds the row. */
export type Submitted = 'changed' | 'same' | 'ended' | 'overtaken'

/** Stores a submission. @throws StoreUnavailable: it may be stored, and may be sent again */
export async function storeSubmission(
  db: Pick<Database, 'queryAs'>,
  { userId, receipt, answers, phone, consent }: Submission,
): Promise<Submitted> {
  const [row] = await db.queryAs(SubmittedRow, SUBMIT, [
    userId,
    JSON.stringify(answers),
    phone !== undefined,
    phone ?? null,
    consent ?? null,
    receipt,
  ])
  if (!row) throw new Error('the activity has no row')
  if (!row.open) return 'ended'
  if (row.changed) return 'changed'
  return row.known ? 'same' : 'overtaken'
}
