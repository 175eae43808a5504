import { URGENT_PRIORITY } from './release.ts'

/**
 * Claims due chunks, the urgent first; one process has a chunk at a time. Users who blocked the bot or stopped its
 * messages since the push was made are skipped. Rank by rank, so that the index of due chunks is used
 * even on a table that was just filled (the planner sorted 75,000 chunks for every 32).
 */
export const CLAIM = `
WITH due AS (
  SELECT push_id, chunk FROM (VALUES (${URGENT_PRIORITY}), (0)) AS rank (priority) CROSS JOIN LATERAL (
    SELECT push_id, chunk FROM line.push_chunks
     WHERE state = 'waiting' AND priority = rank.priority AND not_before <= now()
     ORDER BY not_before LIMIT $1 FOR UPDATE SKIP LOCKED) AS of_rank
   LIMIT $1
), claimed AS (
  UPDATE line.push_chunks AS c SET attempts = attempts + 1, first_at = coalesce(first_at, clock_timestamp()),
      not_before = clock_timestamp() + make_interval(secs => $2::float8 / 1000)
    FROM due WHERE c.push_id = due.push_id AND c.chunk = due.chunk
  RETURNING c.*
)
SELECT c.push_id AS "pushId", c.chunk, c.attempts, extract(epoch FROM clock_timestamp() - c.first_at)::float8 AS "ageS",
       p.personal, p.urgent,
       CASE WHEN p.urgent OR p.personal IS NOT NULL THEN cardinality(c.user_ids) ELSE
         p.recipients - p.failed - p.blocked - p.skipped - (
           SELECT coalesce(sum(s.sent + s.failed + s.blocked + s.skipped), 0)::int FROM line.push_chunks AS s
            WHERE s.push_id = c.push_id AND s.state = 'settled') END AS outstanding,
       CASE WHEN c.language IS NULL THEN p.messages ELSE p.messages -> c.language END AS messages,
       coalesce(judged.reachable, '{}') AS "userIds", judged.blocked, judged.skipped
  FROM claimed AS c JOIN line.pushes AS p ON p.id = c.push_id
 CROSS JOIN LATERAL (
   SELECT array_agg(user_id) FILTER (WHERE verdict = 'reachable') AS reachable,
          count(*) FILTER (WHERE verdict = 'blocked')::int AS blocked,
          count(*) FILTER (WHERE verdict = 'skipped')::int AS skipped
     FROM (SELECT one.user_id, CASE
               WHEN NOT u.following OR u.blocked_at IS NOT NULL THEN 'blocked'
               WHEN p.honours_stop AND NOT u.notifications THEN 'skipped'
               ELSE 'reachable' END AS verdict
             FROM unnest(c.user_ids) AS one (user_id) LEFT JOIN line.users AS u USING (user_id)) AS each_one
 ) AS judged
 ORDER BY p.urgent DESC, c.chunk`

/** The final outcome of a chunk. User ids are not needed after it. */
export const SETTLE = `
UPDATE line.push_chunks SET state = 'settled', sent = $3, failed = $4, blocked = $5, skipped = $6,
    request_id = nullif($7, ''), reason = nullif($8, ''), user_ids = '{}'
 WHERE push_id = $1 AND chunk = $2 AND state = 'waiting'`

/**
 * LINE reported that a user of a chunk cannot be reached: no push addresses them until they follow again. An erasure has taken
 * them out of the chunk.
 */
export const BLOCKED = `
INSERT INTO line.users AS u (user_id, following, blocked_at)
SELECT $3, false, now() FROM line.push_chunks WHERE push_id = $1 AND chunk = $2 AND $3 = ANY (user_ids) FOR UPDATE
ON CONFLICT (user_id) DO UPDATE SET blocked_at = coalesce(u.blocked_at, now()), updated_at = now()`

export const LATER = `
UPDATE line.push_chunks
   SET not_before = clock_timestamp() + make_interval(secs => $3::float8 / 1000), reason = nullif($4, '')
 WHERE push_id = $1 AND chunk = $2 AND state = 'waiting'`

/** As if it had never been claimed: no request was sent, so LINE's 24 hours have not begun. */
export const GIVE_BACK = `
UPDATE line.push_chunks SET not_before = clock_timestamp() + make_interval(secs => $3::float8 / 1000),
    attempts = attempts - 1, first_at = CASE WHEN attempts = 1 THEN NULL ELSE first_at END
 WHERE push_id = $1 AND chunk = $2 AND state = 'waiting'`

/** The rest of a push that no process has claimed: what the quota does not allow is not tried. */
export const GIVE_UP_REST = `
UPDATE line.push_chunks SET state = 'settled', failed = cardinality(user_ids), reason = $2, user_ids = '{}'
 WHERE push_id = $1 AND state = 'waiting' AND attempts = 0`
