import { unlessErased } from '@palanquin/db/unless-erased'
import { SESSION_CHANGES_REACH_MS } from '@palanquin/domain/session'
import { withDevicesRevoked } from '../devices/sql.ts'
import { iso } from '../iso-timestamp.ts'
import { PARTICIPANT_CHANGED, sharesEnded } from '../participants/sql.ts'

/** More than anybody has; a page of a list at most. */
const OWN_MAX = 1_000
/** How long a participant stays signed in after the last use. */
const ROLLING = "interval '30 days'"
/** A participant's session is over then, however often it was used. */
const LONGEST = "interval '90 days'"
/** Somebody with a role signs in every day; so no such session is idle for longer, either. */
const STAFF = "interval '12 hours'"
/** A use is noted at most once in that time, so that a check-in costs no write. */
const NOTED_EVERY = "interval '1 hour'"
/** Within that time the same attempt with the same recovery code is answered again: its first answer was lost. */
const ATTEMPT = "interval '15 minutes'"
/** Dead sessions are kept so long: their cookies are no guesses. */
const KEPT_DEAD = "interval '30 days'"

/** The columns of a `StoredSession`; the role is read where the session is, so that it is never an old one. */
const columns = (session: string) => `
  ${session}.token_hash AS hash, ${session}.kind, ${session}.user_id AS "userId", ${session}.is_staff AS "isStaff",
  ${session}.ended_at IS NOT NULL OR ${session}.expires_at <= now() AS "isOver", ${session}.admin_key AS "adminKey",
  CASE WHEN ${session}.is_staff THEN coalesce(${session}.admin_role,
    (SELECT role FROM engagement.roles WHERE roles.user_id = ${session}.user_id)) END AS role,
  ${iso(`${session}.expires_at`)} AS "expiresAt"`

/** $1: token hashes. Notes the use and extends what is in use; the rows come as they are after that. */
export const FIND = `
WITH used AS (
  UPDATE engagement.sessions SET last_seen_at = now(),
         expires_at = CASE WHEN is_staff THEN expires_at ELSE least(now() + ${ROLLING}, created_at + ${LONGEST}) END
   WHERE token_hash = ANY ($1::text[]) AND ended_at IS NULL
     AND expires_at > now() AND last_seen_at < now() - ${NOTED_EVERY}
  RETURNING *
)
SELECT ${columns('used')} FROM used
UNION ALL
SELECT ${columns('session')} FROM engagement.sessions AS session
 WHERE token_hash = ANY ($1::text[]) AND token_hash NOT IN (SELECT token_hash FROM used)`

/** $1 userId, $2 the hash of the caller's session or null. */
export const OWN = `
SELECT id::text, kind, ${iso('created_at')} AS "createdAt", ${iso('last_seen_at')} AS "lastSeenAt",
       ${iso('expires_at')} AS "expiresAt", token_hash IS NOT DISTINCT FROM $2::text AS current, device,
       count(*) OVER ()::int AS total
  FROM engagement.sessions WHERE user_id = $1::text AND ended_at IS NULL AND expires_at > now()
 ORDER BY current DESC, sessions.last_seen_at DESC, id LIMIT ${OWN_MAX}`

/** The gateway sends a call again when its connection breaks: the same token for the same person is the same session. */
const REPEATED = `ON CONFLICT (token_hash) DO UPDATE SET token_hash = excluded.token_hash
  WHERE sessions.user_id IS NOT DISTINCT FROM excluded.user_id`

/** Ends sessions that `which` selects, and lists them for the gateways. */
const ended = (which: string) => `ended AS (
  UPDATE engagement.sessions SET ended_at = now() WHERE (${which}) AND ended_at IS NULL RETURNING token_hash
), listed AS (
  INSERT INTO engagement.session_changes (token_hash) SELECT token_hash FROM ended
)`

/**
 * $1 hash, $2 kind, $3 userId, $4 admin key, $5 admin role, $6 recovery code's hash, $7 the session it replaces,
 * $8 the attempt's hash or null: it stands for the code before the first, so that RECOVER answers the same attempt again,
 * $9 the name of the device or null, $10 the receipt or null.
 */
export const START = `
WITH changed AS (
  INSERT INTO engagement.participants (user_id) SELECT $3::text WHERE $3::text IS NOT NULL AND ${unlessErased('$10')}
  ON CONFLICT (user_id) DO NOTHING RETURNING *
), ${PARTICIPANT_CHANGED}, coded AS (
  INSERT INTO engagement.recovery_codes (user_id, code_hash, used_code_hash, attempt_hash, attempted_at, session_hash)
  SELECT $3::text, $6::text, $8::text, $8::text, CASE WHEN $8::text IS NOT NULL THEN now() END, CASE WHEN $8::text IS NOT NULL THEN $1::text END
   WHERE $6::text IS NOT NULL
  ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash
), ${ended('token_hash = $7::text')}, person AS (
  SELECT $5::text IS NOT NULL OR EXISTS (SELECT FROM engagement.roles WHERE user_id = $3::text) AS is_staff
), started AS (
  INSERT INTO engagement.sessions (token_hash, kind, user_id, admin_key, admin_role, device, is_staff, expires_at)
  SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $9::text, is_staff,
         now() + CASE WHEN is_staff THEN ${STAFF} ELSE ${ROLLING} END FROM person WHERE ${unlessErased('$10')}
  ${REPEATED}
  RETURNING *
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'session.started', coalesce(user_id, admin_role), jsonb_build_object('kind', kind) FROM started WHERE is_staff
)
SELECT ${columns('started')} FROM started`

/**
 * $1 hash, $2 the code's hash, $3 that of the next code, $4 the session it replaces, $5 the attempt's hash or null, $6 the name
 * of the device or null. No row for an unknown code. An attempt that comes again ends the session that its first answer would have brought, and gets another;
 * not once that was signed out, or the next code was used.
 */
export const RECOVER = `
WITH again AS (
  SELECT recovery_codes.user_id, session_hash FROM engagement.recovery_codes JOIN engagement.sessions ON token_hash = session_hash
   WHERE used_code_hash = $2::text AND attempt_hash = $5::text AND attempted_at > now() - ${ATTEMPT}
     AND ended_at IS NULL AND session_hash <> $1::text
), used AS (
  UPDATE engagement.recovery_codes AS code
     SET code_hash = $3::text, created_at = now(), used_code_hash = $2::text, attempt_hash = $5::text, session_hash = $1::text,
         attempted_at = CASE WHEN code_hash = $2::text THEN now() ELSE attempted_at END
   WHERE code_hash IN ($2::text, $3::text)
      OR EXISTS (SELECT FROM again WHERE (user_id, session_hash) = (code.user_id, code.session_hash))
  RETURNING user_id
), ${ended(`EXISTS (SELECT FROM used) AND (token_hash = $4::text OR token_hash IN (SELECT session_hash FROM again))`)}, started AS (
  INSERT INTO engagement.sessions (token_hash, kind, user_id, device, expires_at)
  SELECT $1::text, 'device', user_id, $6::text, now() + ${ROLLING} FROM used
  ${REPEATED}
  RETURNING *
)
SELECT ${columns('started')} FROM started`

const hashesOf = (from: string) => `coalesce((SELECT json_agg(token_hash) FROM ${from}), '[]'::json)`

/** $1 the hash of the session that signs out. */
export const END = `
WITH ${ended('token_hash = $1::text')}
SELECT ${hashesOf('ended')} AS ended, false AS "hasNextCode"`

/**
 * $1 the hash of the session that signs its person out everywhere, $2 that of the next recovery code. Family links and phone
 * apps end too. A session that is over ends nothing, so that a thief does not get a code after the owner; the same call again
 * finds its code in force.
 */
export const END_ALL = `
WITH own AS (
  SELECT token_hash, user_id, kind FROM engagement.sessions
   WHERE token_hash = $1::text AND ended_at IS NULL AND expires_at > now()
), ${ended('token_hash IN (SELECT token_hash FROM own) OR user_id = (SELECT user_id FROM own)')}, coded AS (
  INSERT INTO engagement.recovery_codes (user_id, code_hash) SELECT user_id, $2::text FROM own WHERE kind = 'device'
  ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash, created_at = now(),
    used_code_hash = NULL, attempt_hash = NULL, attempted_at = NULL, session_hash = NULL
  RETURNING 1
), ${sharesEnded({ of: '(SELECT user_id FROM own)', where: 'true' })}, ${withDevicesRevoked('(SELECT user_id FROM own)')}
SELECT ${hashesOf('ended')} AS ended,
       EXISTS (SELECT FROM coded) OR EXISTS (SELECT FROM engagement.recovery_codes WHERE code_hash = $2::text) AS "hasNextCode"`

/** $1 userId, $2 the id of the session. */
export const END_OWN = `
WITH ${ended('user_id = $1::text AND id::text = $2::text AND expires_at > now()')}
SELECT token_hash AS hash FROM ended`

export const CHANGED = `
SELECT DISTINCT token_hash AS hash FROM engagement.session_changes
 WHERE at > now() - interval '${SESSION_CHANGES_REACH_MS} milliseconds'`

export const FORGET_CHANGES = `DELETE FROM engagement.session_changes WHERE at < now() - interval '1 hour'`
export const FORGET_DEAD = `
DELETE FROM engagement.sessions WHERE least(expires_at, coalesce(ended_at, expires_at)) < now() - ${KEPT_DEAD}`
