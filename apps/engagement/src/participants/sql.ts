import { unlessErased } from '@palanquin/db/unless-erased'

/** SQL: the part of a WITH that emits `participant.changed` for the row in `changed`. */
export const PARTICIPANT_CHANGED = `emitted AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'participant.changed', jsonb_build_object('userId', user_id, 'status', status, 'consent', consent,
    'visibility', visibility, 'publicVersion', public_version, 'displayName', display_name, 'language', language)
  FROM changed
)`

/** The part of a WITH that ends the family links of a person whose consent was taken back. */
export const sharesEnded = ({ of, where }: { of: string; where: string }) => `unshared AS (
  UPDATE engagement.shares SET ended_at = now() WHERE user_id = ${of} AND ended_at IS NULL AND ${where}
)`

/**
 * A change of one participant with its event in one statement; the last parameter is its receipt. `upsert` must change no row where nothing changes: then
 * there is no event, and no row is returned.
 */
const withEventAndRow = (upsert: string, alongside = '') => `
WITH changed AS (${upsert} RETURNING p.*),
${PARTICIPANT_CHANGED}${alongside}
SELECT status, consent, visibility, consent_version AS version, consent_at AS "consentAt" FROM changed`

export const SYNC = withEventAndRow(`
  INSERT INTO engagement.participants AS p (user_id, display_name, picture_url, language)
  SELECT $1, $2::text, $3::text, coalesce($4::text, 'zh-TW') WHERE ${unlessErased('$5')}
  ON CONFLICT (user_id) DO UPDATE SET
    display_name = coalesce($2::text, p.display_name),
    picture_url = coalesce($3::text, p.picture_url),
    language = coalesce($4::text, p.language),
    updated_at = clock_timestamp()
  WHERE (coalesce($2::text, p.display_name), coalesce($3::text, p.picture_url), coalesce($4::text, p.language))
    IS DISTINCT FROM (p.display_name, p.picture_url, p.language)`)

export const PHONE = withEventAndRow(`
  INSERT INTO engagement.participants AS p (user_id, phone) SELECT $1, $2::text WHERE ${unlessErased('$3')}
  ON CONFLICT (user_id) DO UPDATE SET phone = excluded.phone, updated_at = clock_timestamp()
  WHERE p.phone IS DISTINCT FROM excluded.phone`)

export const CONSENT = withEventAndRow(
  `
  INSERT INTO engagement.participants AS p (user_id, consent, consent_version, visibility, consent_at)
  SELECT $1, $2::boolean, $3::text, $4::text, clock_timestamp() WHERE ${unlessErased('$5')}
  ON CONFLICT (user_id) DO UPDATE SET consent = excluded.consent, consent_version = excluded.consent_version,
    visibility = excluded.visibility, consent_at = clock_timestamp(), updated_at = clock_timestamp()
  WHERE p.consent_at IS NULL OR (p.consent, p.consent_version, p.visibility)
    IS DISTINCT FROM (excluded.consent, excluded.consent_version, excluded.visibility)`,
  `, recorded AS (
  INSERT INTO engagement.consent_history (user_id, consent, version, visibility, recorded_at)
  SELECT user_id, consent, consent_version, visibility, consent_at FROM changed
), ${sharesEnded({ of: '$1', where: 'NOT $2::boolean' })}`,
)

export const STATUS = withEventAndRow(`
  INSERT INTO engagement.participants AS p (user_id, status) SELECT $1, $2 WHERE ${unlessErased('$4')}
  ON CONFLICT (user_id) DO UPDATE SET status = excluded.status, updated_at = clock_timestamp()
  WHERE p.status = ANY ($3::text[])`)

/**
 * Creates rows for participants with points (contract section 2), idempotent, in one order against deadlocks.
 * The track is locked: an erased participant has none, and a concurrent erasure waits and then finds the new row.
 * `updated_at` is when the participant was last seen, not when the event came. Mostly all are registered, which is looked up by
 * count and key: for NOT EXISTS an event of 500 participants read the rows of all there are.
 */
export const REGISTER = `
WITH unknown AS MATERIALIZED (
  SELECT user_id, seen_at FROM unnest($1::text[], $2::text[]) AS list (user_id, seen_at)
   WHERE (SELECT count(*) FROM engagement.participants AS known WHERE known.user_id = list.user_id) = 0
), unregistered AS (
  SELECT track.user_id, nullif(unknown.seen_at, '')::timestamptz AS seen_at
    FROM unknown JOIN tracking.tracks AS track ON track.user_id = unknown.user_id
   WHERE (SELECT count(*) FROM engagement.links WHERE links.device_id = unknown.user_id) = 0
   ORDER BY track.user_id FOR KEY SHARE OF track
)
INSERT INTO engagement.participants (user_id, updated_at)
SELECT user_id, least(now(), coalesce(seen_at, now())) FROM unregistered
ON CONFLICT (user_id) DO NOTHING`
