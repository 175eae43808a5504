import { MULTICAST_IDS_MAX } from '../line-client/limits.ts'

/** The recipients. `all`: every user whom the bot can reach; a role; or users by id. */
export type Audience =
  | { to: 'all' | 'volunteers' | 'managers' | 'owners' }
  /** Users who had unlocked the achievement at a time (ISO), and all others: at any time every user is in one of the two. */
  | { to: 'unlocked' | 'others'; asOf: string }
  | { to: 'users'; userIds: readonly string[] }

/** Messages that are composed for each user when they are sent. */
export type Personal = 'final-summary' | 'congratulation'

/** Hundreds of thousands of users: to list them takes longer than a caller waits. */
export const isWide = ({ to }: Audience): boolean => to === 'all' || to === 'unlocked' || to === 'others'

/** A LINE id (contract section 1). Any other makes LINE refuse a whole multicast. */
export const LINE_ID = '^U[0-9a-f]{32}$'

/** SQL: whether a column is a LINE id. A regular expression would cost 15 µs a row, and there are 300,000. */
export const isLineId = (column: string) =>
  `(length(${column}) = 33 AND left(${column}, 1) = 'U' AND translate(substr(${column}, 2), '0123456789abcdef', '') = '')`

/**
 * All users known to the bot: those who wrote to it, and participants who registered elsewhere with a LINE id. LINE ignores
 * those who never added the bot; participants who withdrew get nothing general.
 */
const known = (condition = 'true') => `
  line.users AS u FULL JOIN engagement.participants AS p USING (user_id)
  WHERE (u.user_id IS NOT NULL OR ${isLineId('p.user_id')}) AND p.status IS DISTINCT FROM 'withdrawn' AND ${condition}`
const among = (people: string) => `
  ${people} LEFT JOIN line.users AS u USING (user_id) LEFT JOIN engagement.participants AS p USING (user_id)`
const ofRole = (role: string) => `${among('engagement.roles AS r')} WHERE r.role = '${role}'`

const UNLOCKED = "(p.achievement_unlocked_at <= nullif($6, '')::timestamptz)"

/**
 * SQL behind FROM that gives each addressed `user_id` once, with the rows `u` and `p` of them; `$1` names the `users`, `$6`
 * is `asOf`.
 */
const ADDRESSED = {
  all: known(),
  unlocked: known(`${UNLOCKED} IS TRUE`),
  others: known(`${UNLOCKED} IS NOT TRUE`),
  volunteers: ofRole('volunteer'),
  managers: ofRole('manager'),
  owners: ofRole('owner'),
  users: among('(SELECT DISTINCT unnest($1::text[]) AS user_id) AS named'),
} as const

/** SQL: the chosen language, else that of the LINE profile, else Chinese. */
export const LANGUAGE = `coalesce(p.language,
  CASE WHEN u.profile_language IS NULL OR u.profile_language LIKE 'zh%' THEN 'zh-TW' ELSE 'en' END)`

/** SQL: how many `all` are. */
export const HOW_MANY = `SELECT count(*)::int AS recipients FROM ${ADDRESSED.all}`

/**
 * SQL: the parts of a WITH that judge an audience and count it. `$1` is the list of user ids (of `users`), `$2` whether
 * stop-notifications are honoured. `judged` has every user with a verdict (no one, and at no cost, where the condition,
 * which is of no row, does not hold), `counts` one row.
 */
export const judging = (to: keyof typeof ADDRESSED, condition = 'true') => `
judged AS MATERIALIZED (
  SELECT user_id, language, CASE
      WHEN NOT ${isLineId('user_id')} THEN 'failed'
      WHEN NOT following OR blocked_at IS NOT NULL THEN 'blocked'
      WHEN $2::boolean AND NOT notifications THEN 'skipped'
      ELSE 'reachable' END AS verdict
    FROM (SELECT user_id, u.following, u.blocked_at, u.notifications, ${LANGUAGE} AS language
            FROM ${ADDRESSED[to]}) AS addressed
   WHERE ${condition}
), counts AS (
  SELECT count(*)::int AS recipients, count(*) FILTER (WHERE verdict = 'failed')::int AS failed,
    count(*) FILTER (WHERE verdict = 'blocked')::int AS blocked,
    count(*) FILTER (WHERE verdict = 'skipped')::int AS skipped
  FROM judged WHERE $1::text[] IS NOT NULL
)`

/**
 * SQL: the parts of a WITH that cut the reachable users into chunks of `push` (one row with `id` and `priority`, or none:
 * then nothing is made). `$3`: how many to a chunk. `$4`: whether each language has chunks of its own.
 * Nothing is made where the condition does not hold either.
 */
export const chunking = (condition = 'true') => `
numbered AS (
  SELECT user_id, said, (row_number() OVER (PARTITION BY said ORDER BY user_id) - 1) / $3::int AS part
    FROM (SELECT user_id, CASE WHEN $4::boolean THEN language END AS said FROM judged
           WHERE verdict = 'reachable') AS reachable
), chunked AS (
  INSERT INTO line.push_chunks (push_id, chunk, user_ids, language, priority)
  SELECT push.id, row_number() OVER (ORDER BY said, part), user_ids, said, push.priority
    FROM (SELECT said, part, array_agg(user_id ORDER BY user_id) AS user_ids FROM numbered GROUP BY said, part) AS cut,
      push
   WHERE ${condition}
)`

/** One to a chunk where each gets messages of their own, else as many as LINE takes in one request. */
export const chunkSizeOf = (personal: string | null): number => (personal === null ? MULTICAST_IDS_MAX : 1)
