/** Every statement on the cases of lost and found. */
import { unlessErased } from '@palanquin/db/unless-erased'

const CASE = `id, seq, kind, about, phone, lat, lng, photo, user_id AS "userId", status, taken_by AS "takenBy", notes, reply,
  created_at AS "createdAt", updated_at AS "updatedAt", closed_at AS "closedAt"`

/** Strictly increasing even when the clock is set back; whole milliseconds. */
const NEXT_UPDATED = `greatest(date_trunc('milliseconds', clock_timestamp()), c.updated_at + interval '1 millisecond')`

/** Publishes that the volunteers near a case of `source` are to be notified. */
const reportedTo = (source: string, condition: string) => `emitted AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'lost.reported', jsonb_build_object('caseId', id) FROM ${source} WHERE ${condition}
)`

/**
 * Stores nothing where the photo was never uploaded ($6: its candidate names; empty for none). With a known edit token the
 * report stays as it is. $10 is null for a reporter, who is in no audit. $11: the receipt of whom it is about, who is left out
 * once erased: the case goes on.
 */
export const CREATE = `
WITH uploaded AS (
  SELECT filename FROM media.screenshots WHERE filename = ANY ($6::text[]) LIMIT 1
), made AS (
  INSERT INTO engagement.lost_cases (kind, about, phone, lat, lng, photo, user_id, notes, edit_token_hash)
  SELECT $1::text, $2::text, $3::text, $4::double precision, $5::double precision, (SELECT filename FROM uploaded),
    CASE WHEN ${unlessErased('$11')} THEN $7::text END, $8::text, decode($9::text, 'hex')
  WHERE cardinality($6::text[]) = 0 OR EXISTS (SELECT FROM uploaded)
  ON CONFLICT (edit_token_hash) DO UPDATE SET edit_token_hash = excluded.edit_token_hash
  RETURNING *, xmax = 0 AS is_new
), ${reportedTo('made', 'is_new')}, audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'lost.added', $10::text, jsonb_build_object('id', id, 'kind', kind) FROM made WHERE $10::text IS NOT NULL
)
SELECT ${CASE} FROM made`

/** A field of the patch $2, or what the column has. */
const patched = (column: string, field: string, value = `nullif($2::text::jsonb ->> '${field}', '')`) =>
  `${column} = CASE WHEN $2::text::jsonb ? '${field}' THEN ${value} ELSE c.${column} END`
/** Nobody, once the one whom the patch names is erased. */
const ABOUT_WHOM = `CASE WHEN ${unlessErased('$4')} THEN nullif($2::text::jsonb ->> 'userId', '') END`
const inPlace = (column: 'lat' | 'lng') =>
  `${column} = CASE WHEN $2::text::jsonb ? 'place' THEN ($2::text::jsonb -> 'place' ->> '${column}')::double precision ELSE c.${column} END`

/** $4: the receipt of whom it is about now. Notifies volunteers again where the place or the participant is another one by now. */
export const CHANGE = `
WITH before AS (
  SELECT * FROM engagement.lost_cases WHERE id = $1::text::uuid FOR UPDATE
), changed AS (
  UPDATE engagement.lost_cases AS c SET ${patched('kind', 'kind')}, ${patched('about', 'about')},
    ${patched('phone', 'phone')}, ${inPlace('lat')}, ${inPlace('lng')}, ${patched('user_id', 'userId', ABOUT_WHOM)},
    ${patched('status', 'status')}, ${patched('notes', 'notes')}, ${patched('reply', 'reply')},
    taken_by = CASE
      WHEN $2::text::jsonb ->> 'status' = 'open' THEN NULL
      WHEN $2::text::jsonb ? 'takenBy' THEN nullif($2::text::jsonb ->> 'takenBy', '')
      WHEN $2::text::jsonb ->> 'status' = 'taken' THEN $3::text
      ELSE c.taken_by END,
    closed_at = CASE
      WHEN NOT $2::text::jsonb ? 'status' THEN c.closed_at
      WHEN $2::text::jsonb ->> 'status' = 'closed' THEN coalesce(c.closed_at, now()) END,
    updated_at = ${NEXT_UPDATED}
  FROM before WHERE c.id = before.id
  RETURNING c.*, c.status <> 'closed' AND (
    (c.lat IS NOT NULL AND (c.lat, c.lng) IS DISTINCT FROM (before.lat, before.lng))
    OR (c.user_id IS NOT NULL AND c.user_id IS DISTINCT FROM before.user_id)) AS is_located
), ${reportedTo('changed', 'is_located')}, audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'lost.changed', $3::text, jsonb_strip_nulls(jsonb_build_object('id', id, 'status', $2::text::jsonb ->> 'status',
    'fields', (SELECT jsonb_agg(field ORDER BY field) FROM jsonb_object_keys($2::text::jsonb) AS field)))
  FROM changed
)
SELECT ${CASE} FROM changed`

/** The hash was compared in constant time already; repeating it ties the change to that case. */
export const CLOSE_OWN = `
WITH before AS (
  SELECT id, status FROM engagement.lost_cases
   WHERE id = $1::text::uuid AND edit_token_hash = decode($2::text, 'hex') FOR UPDATE
), changed AS (
  UPDATE engagement.lost_cases AS c SET status = 'closed', closed_at = coalesce(c.closed_at, now()),
    updated_at = CASE WHEN before.status = 'closed' THEN c.updated_at ELSE ${NEXT_UPDATED} END
  FROM before WHERE c.id = before.id RETURNING c.*, before.status <> 'closed' AS is_news
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'lost.closed', 'reporter', jsonb_build_object('id', id) FROM changed WHERE is_news
)
SELECT ${CASE} FROM changed`

export const DELETE = `
WITH gone AS (
  DELETE FROM engagement.lost_cases WHERE id = $1::text::uuid RETURNING id
), audited AS (
  INSERT INTO engagement.audit (type, by, detail) SELECT 'lost.deleted', $2::text, jsonb_build_object('id', id) FROM gone
)
SELECT id FROM gone`

/**
 * Notes who ($1) read the whole phone numbers of which cases ($2), once in a quarter of an hour for the same ones: a console
 * that stands open reads them all the time.
 */
export const NOTE_READ = `
INSERT INTO engagement.audit (type, by, detail)
SELECT 'lost.read', $1::text, jsonb_build_object('ids', to_jsonb($2::text[]))
 WHERE cardinality($2::text[]) > 0 AND NOT EXISTS (
   SELECT FROM engagement.audit WHERE type = 'lost.read' AND by = $1::text AND at > now() - interval '15 minutes'
      AND detail -> 'ids' @> to_jsonb($2::text[]))`

/** Closed a week ago, or untouched for a month. */
export const FORGET = `
DELETE FROM engagement.lost_cases
 WHERE closed_at < now() - interval '7 days' OR updated_at < now() - interval '30 days'`
