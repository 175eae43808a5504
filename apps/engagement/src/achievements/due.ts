import { ACHIEVEMENT_CHECKINS_MIN } from '@palanquin/domain/achievement'
import { iso } from '../iso-timestamp.ts'

/** SQL: participant `p` with so many check-ins meets the domain's `achievement`; a test compares the two. */
export const isDue = (checkins: string) =>
  `${checkins} >= ${ACHIEVEMENT_CHECKINS_MIN} AND p.survey_completed_at IS NOT NULL AND p.phone IS NOT NULL`

/** A scalar subquery keeps the planner on the small index `participants_due`. */
const CHECKINS = '(SELECT t.checkins FROM tracking.tracks AS t WHERE t.user_id = p.user_id)'

/**
 * SQL: parts of a WITH that unlock participants who are due; `unlocked` has their rows. Locks are taken in one order
 * against deadlocks, and the loser of a race finds the row unlocked already.
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
