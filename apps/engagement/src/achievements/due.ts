import { ACHIEVEMENT_CHECKINS_MIN } from '@palanquin/domain/achievement'
import { iso } from '../iso-timestamp.ts'

/**
 * SQL: participant `p`, who has so many check-ins stored, meets what the domain's `achievement` asks; a test holds the
 * two together.
 */
export const isDue = (checkins: string) =>
  `${checkins} >= ${ACHIEVEMENT_CHECKINS_MIN} AND p.survey_completed_at IS NOT NULL AND p.phone IS NOT NULL`

/** A scalar, not a join: the few of the index `participants_due` come first, whatever the statistics of tracks say. */
const CHECKINS = '(SELECT t.checkins FROM tracking.tracks AS t WHERE t.user_id = p.user_id)'

/**
 * SQL: the parts of a WITH that unlock whoever is due and was not told of yet, among those of `condition`; `unlocked`
 * has their rows. Under the row's lock the second of two looks again and finds it done. The locks are taken in one
 * order, so that two of these never wait for each other; `limit` bounds how many.
 */
export const unlocking = (condition: string, limit = '') => `due AS (
  SELECT p.user_id FROM engagement.participants AS p
  WHERE p.achievement_unlocked_at IS NULL AND ${isDue(CHECKINS)} AND ${condition}
  ORDER BY p.user_id ${limit} FOR NO KEY UPDATE OF p
), unlocked AS (
  UPDATE engagement.participants AS p SET achievement_unlocked_at = clock_timestamp()
  FROM due WHERE p.user_id = due.user_id
  RETURNING p.user_id, p.achievement_unlocked_at
)`

/** SQL: the data of `achievement.unlocked`, from a row of `unlocked`. */
export const UNLOCKED_EVENT = `jsonb_build_object('userId', user_id, 'at', ${iso('achievement_unlocked_at')})`
