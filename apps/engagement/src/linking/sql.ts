import { unlessErased } from '@palanquin/db/unless-erased'
import { VISIBILITIES } from '@palanquin/domain/participant'
import { WITH_DEVICES_MOVED } from '../devices/sql.ts'
import { PARTICIPANT_CHANGED, sharesEnded } from '../participants/sql.ts'

const BY_WIDTH = `ARRAY[${VISIBILITIES.map((visibility) => `'${visibility}'`).join(', ')}]`
/** Of two visibilities the narrower. */
const narrower = (one: string, other: string) => `(${BY_WIDTH})[least(
      array_position(${BY_WIDTH}, ${one}), array_position(${BY_WIDTH}, ${other}))]`

/** What only one of the two has decided is that one's; else `both`. */
const decided = (column: string, both: string) => `${column} = CASE
      WHEN p.consent_at IS NULL THEN excluded.${column} WHEN excluded.consent_at IS NULL THEN p.${column} ELSE ${both} END`

/** Whether the person's own consent is as narrow as the device's. */
const STAYS = '(NOT p.consent OR excluded.consent)'
const ofSurvey = (column: string) =>
  `${column} = CASE WHEN p.survey_completed_at IS NULL THEN excluded.${column} ELSE p.${column} END`

/**
 * Makes what is of a device ($1) that of a person ($2), as `linked` says: the device's row goes, and what the person has not
 * said is as the device said it. Both are announced, the device as somebody who has left every map. Its sessions are the
 * person's from then on.
 */
const merge = (linked: string) => `
WITH linked AS (${linked}), before AS (
  SELECT p.* FROM linked JOIN engagement.participants AS p USING (user_id)
), device AS (
  DELETE FROM engagement.participants WHERE user_id = (SELECT device_id FROM linked) RETURNING *
), changed AS (
  INSERT INTO engagement.participants AS p (user_id, display_name, picture_url, language, status, consent, consent_version,
    consent_at, visibility, phone, survey_completed_at, survey, survey_first_at, achievement_unlocked_at, created_at, updated_at)
  SELECT linked.user_id, display_name, picture_url, language, status, consent, consent_version, consent_at, visibility, phone,
    survey_completed_at, survey, survey_first_at, achievement_unlocked_at, created_at, clock_timestamp()
    FROM linked, device
  ON CONFLICT (user_id) DO UPDATE SET
    display_name = coalesce(p.display_name, excluded.display_name),
    picture_url = coalesce(p.picture_url, excluded.picture_url),
    phone = coalesce(p.phone, excluded.phone),
    ${ofSurvey('survey')}, ${ofSurvey('survey_first_at')}, ${ofSurvey('survey_completed_at')},
    ${decided('consent', 'p.consent AND excluded.consent')},
    ${decided('visibility', narrower('p.visibility', 'excluded.visibility'))},
    ${decided('consent_version', `CASE WHEN ${STAYS} THEN p.consent_version ELSE excluded.consent_version END`)},
    ${decided('consent_at', `CASE WHEN ${STAYS} THEN p.consent_at ELSE clock_timestamp() END`)},
    achievement_unlocked_at = least(p.achievement_unlocked_at, excluded.achievement_unlocked_at),
    created_at = least(p.created_at, excluded.created_at),
    updated_at = clock_timestamp()
  RETURNING p.*
), ${PARTICIPANT_CHANGED}, hidden AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'participant.changed', jsonb_build_object('userId', user_id, 'status', 'withdrawn', 'consent', false,
    'visibility', visibility, 'displayName', NULL, 'language', language, 'joinedTo', (SELECT user_id FROM linked)) FROM device
), narrowed AS (
  INSERT INTO engagement.consent_history (user_id, consent, version, visibility, recorded_at)
  SELECT changed.user_id, changed.consent, changed.consent_version, changed.visibility, clock_timestamp()
    FROM changed JOIN before USING (user_id)
   WHERE before.consent_at IS NOT NULL
     AND (before.consent, before.visibility) IS DISTINCT FROM (changed.consent, changed.visibility)
), consents AS (
  UPDATE engagement.consent_history SET user_id = linked.user_id FROM linked WHERE consent_history.user_id = device_id
), surveys AS (
  UPDATE engagement.survey_history SET user_id = linked.user_id FROM linked WHERE survey_history.user_id = device_id
), feedbacks AS (
  UPDATE engagement.feedback SET user_id = linked.user_id FROM linked WHERE feedback.user_id = device_id
), lost AS (
  UPDATE engagement.lost_cases SET user_id = linked.user_id FROM linked WHERE lost_cases.user_id = device_id
), no_consent AS (
  SELECT FROM changed WHERE NOT consent AND consent_at IS NOT NULL
), ${sharesEnded({ of: '(SELECT user_id FROM linked)', where: 'EXISTS (SELECT FROM no_consent)' })}, shared AS (
  -- Of two open links the person's own stays.
  UPDATE engagement.shares AS s SET user_id = linked.user_id,
         ended_at = CASE WHEN s.ended_at IS NULL AND (EXISTS (SELECT FROM no_consent) OR EXISTS (
           SELECT FROM engagement.shares AS own WHERE own.user_id = linked.user_id AND own.ended_at IS NULL))
           THEN now() ELSE s.ended_at END
    FROM linked WHERE s.user_id = device_id
), roles AS (
  DELETE FROM engagement.roles WHERE user_id = (SELECT device_id FROM linked)
), codes AS (
  DELETE FROM engagement.recovery_codes WHERE user_id = (SELECT device_id FROM linked)
), moved AS (
  UPDATE engagement.sessions SET user_id = linked.user_id, kind = 'line' FROM linked
   WHERE sessions.user_id = device_id RETURNING token_hash
), listed AS (
  INSERT INTO engagement.session_changes (token_hash) SELECT token_hash FROM moved
), ${WITH_DEVICES_MOVED}
SELECT user_id AS "userId" FROM linked`

/** Joins a device to a person, once. $3 and $4: the receipts of the two. */
export const LINK = merge(`
  INSERT INTO engagement.links (device_id, user_id)
  SELECT $1::text, $2::text WHERE ${unlessErased('$3')} AND ${unlessErased('$4')}
  ON CONFLICT DO NOTHING RETURNING device_id, user_id`)

/** The same again for a device that was joined. */
export const MERGE_LATE = merge(`
  SELECT device_id, user_id FROM engagement.links WHERE device_id = $1::text AND user_id = $2::text FOR UPDATE`)

const NAMING_PEOPLE = [
  ...['participants', 'consent_history', 'survey_history', 'feedback', 'lost_cases', 'shares'],
  ...['sessions', 'recovery_codes', 'roles', 'devices', 'setup_links'],
]
/** Devices that were joined a moment ago and are named all the same: no statement goes on for that long. */
export const NAMED_LATE = `
SELECT device_id AS "deviceId", user_id AS "userId" FROM engagement.links AS link
 WHERE linked_at > now() - interval '5 minutes' AND (
   ${NAMING_PEOPLE.map((table) => `EXISTS (SELECT FROM engagement.${table} AS own WHERE own.user_id = link.device_id)`).join(' OR ')})
 ORDER BY linked_at LIMIT 100`

export const READ_LINK = `SELECT user_id AS "userId" FROM engagement.links WHERE device_id = $1`
export const DEVICES = `SELECT device_id AS "deviceId" FROM engagement.links WHERE user_id = $1 ORDER BY device_id`
export const DEVICE_OF_CODE = `SELECT user_id AS "deviceId" FROM engagement.recovery_codes WHERE code_hash = $1`
export const UNFINISHED = `
SELECT device_id AS "deviceId", user_id AS "userId" FROM engagement.links
 WHERE finished_at IS NULL AND ($1::text IS NULL OR user_id = $1) ORDER BY linked_at LIMIT 100`
export const FINISH = `UPDATE engagement.links SET finished_at = now() WHERE device_id = $1 AND finished_at IS NULL`
