import { unlessErased } from '@palanquin/db/unless-erased'

/** $6: the receipt, null without a name. Stores nothing where the screenshot was never uploaded; with a known edit token the item stays as it is. */
export const CREATE = `
WITH uploaded AS (
  SELECT filename FROM media.screenshots WHERE filename = ANY ($4::text[]) LIMIT 1
), created AS (
  INSERT INTO engagement.feedback (user_id, category, message, screenshot, edit_token_hash)
  SELECT $1::text, $2::text, $3::text, (SELECT filename FROM uploaded), decode($5::text, 'hex')
  WHERE (cardinality($4::text[]) = 0 OR EXISTS (SELECT FROM uploaded)) AND ${unlessErased('$6')}
  ON CONFLICT (edit_token_hash) DO UPDATE SET edit_token_hash = excluded.edit_token_hash
  RETURNING id, user_id
), registered AS (
  INSERT INTO engagement.participants (user_id) SELECT user_id FROM created WHERE user_id IS NOT NULL
  ON CONFLICT (user_id) DO NOTHING
)
SELECT id, false AS erased FROM created
UNION ALL SELECT NULL, true WHERE NOT ${unlessErased('$6')}`

/** Strictly increasing even when the clock is set back; whole milliseconds. */
const NEXT_UPDATED = `greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`

/** The changed item as `Feedback` has it. */
const CHANGED = `
SELECT f.id, f.seq, f.user_id AS "userId", p.display_name AS "displayName", f.category, f.message, f.screenshot,
  f.status, f.reply, f.created_at AS "createdAt", f.updated_at AS "updatedAt"
FROM changed AS f LEFT JOIN engagement.participants AS p ON p.user_id = f.user_id`

/** Checks the transition under the row's lock and audits it in the same statement. */
export const ANSWER = `
WITH changed AS (
  UPDATE engagement.feedback SET status = coalesce($2::text, status), updated_at = ${NEXT_UPDATED},
    reply = CASE WHEN $3::text IS NULL THEN reply ELSE nullif($3::text, '') END
  WHERE id = $1::text::uuid AND ($2::text IS NULL OR status = ANY ($4::text[]))
  RETURNING *
), audited AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'feedback.answered', $5::text, updated_at, jsonb_strip_nulls(jsonb_build_object('id', id, 'status', $2::text,
    'replied', CASE WHEN $3::text IS NOT NULL THEN reply IS NOT NULL END))
  FROM changed
)${CHANGED}`

/** The hash was compared in constant time already; repeating it ties the change to that item. */
export const REWORD = `
WITH changed AS (
  UPDATE engagement.feedback SET message = $2::text, updated_at = ${NEXT_UPDATED}
  WHERE id = $1::text::uuid AND edit_token_hash = decode($3::text, 'hex') AND status = ANY ($4::text[])
  RETURNING *
)${CHANGED}`
