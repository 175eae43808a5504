import { DEAD_KEY, STREAM_KEY } from '@palanquin/events/stream'
import type { Sql } from 'postgres'
import type { AcknowledgedWrites } from '../load/phones.ts'
import { type ChatState, chatFaults } from './chat-effects.ts'
import type { EventRecorder } from './published-events.ts'
import { redisFields } from './redis-fields.ts'

const SCHEMAS = ['tracking', 'engagement', 'media', 'line'] as const

/** Queries that must return no rows once everything is quiet and the activity has ended. */
const MUST_NOT_BE: Record<string, string> = {
  'points that could not be stored were set aside': 'SELECT shard, entry_id, reason FROM tracking.set_aside',
  ...Object.fromEntries(
    SCHEMAS.map((schema) => [`events wait in ${schema}.outbox`, `SELECT id, type FROM ${schema}.outbox`]),
  ),
  'a track has no participant': `
    SELECT user_id FROM tracking.tracks WHERE user_id NOT IN (SELECT user_id FROM engagement.participants)`,
  'an achievement is due and not unlocked, or unlocked and not due': `
    SELECT user_id FROM engagement.participants AS p LEFT JOIN tracking.tracks AS t USING (user_id)
     WHERE (p.achievement_unlocked_at IS NOT NULL) <>
           (coalesce(t.checkins, 0) >= 3 AND p.survey_completed_at IS NOT NULL AND p.phone IS NOT NULL)`,
  'a consent is not kept exactly once': `
    SELECT user_id, count(*) FROM engagement.consent_history GROUP BY user_id HAVING count(*) <> 1`,
  'a survey is not kept exactly once': `
    SELECT user_id, count(*) FROM engagement.survey_history GROUP BY user_id HAVING count(*) <> 1`,
  "the outcome of the activity is not what PostgreSQL's points say": `
    SELECT outcome FROM engagement.activity
     WHERE (outcome->>'points')::int IS DISTINCT FROM (SELECT count(*) FROM tracking.all_points)
        OR (outcome->>'checkins')::int IS DISTINCT FROM (SELECT count(*) FROM tracking.all_points WHERE kind = 0)`,
  'an unlocked participant has no share card': `
    SELECT user_id FROM engagement.participants WHERE achievement_unlocked_at IS NOT NULL
       AND user_id NOT IN (SELECT user_id FROM media.cards)`,
  'cards are still to be made': 'SELECT user_id FROM media.card_orders',
  'messages are still to be sent': 'SELECT id FROM line.pushes WHERE finished_at IS NULL',
  'messages were given up': 'SELECT id, failed, skipped FROM line.pushes WHERE failed > 0 OR skipped > 0',
}

export type Stores = { sql: Sql; redis: Bun.RedisClient; bus: EventRecorder }

/** What is wrong with the effects of the run; empty when every effect is there once. */
export async function effectFaults(
  stores: Stores,
  { acknowledged, chatState }: { acknowledged: AcknowledgedWrites; chatState: ChatState },
): Promise<string[]> {
  const { sql, redis } = stores
  const faults: string[] = []
  for (const [what, query] of Object.entries(MUST_NOT_BE)) {
    const rows = await sql.unsafe(query)
    if (rows.length > 0) faults.push(`${what}: ${rows.length}, such as ${JSON.stringify(rows[0])}`)
  }
  return [
    ...faults,
    ...(await lostWrites(sql, acknowledged)),
    ...(await busFaults(stores)),
    ...(await chatFaults(sql, redis, chatState)),
  ]
}

/** Acknowledged writes that are not stored. */
async function lostWrites(sql: Sql, { profiles, consents, surveys }: AcknowledgedWrites): Promise<string[]> {
  const rows = await sql<
    { user_id: string; display_name: string | null; consent: boolean; surveyed: boolean }[]
  >`SELECT user_id, display_name, consent, survey_completed_at IS NOT NULL AS surveyed FROM engagement.participants`
  const stored = new Map(rows.map((row) => [row.user_id, row]))
  const faults: string[] = []
  const broken = (what: string, userIds: string[]) => {
    if (userIds.length > 0)
      faults.push(`${what} was acknowledged and is lost: ${userIds.length}, such as ${userIds[0]}`)
  }
  const of = <T>(
    kept: Map<string, T>,
    holds: (row: (typeof rows)[number] | undefined, value: T) => boolean,
  ) => [...kept].flatMap(([userId, value]) => (holds(stored.get(userId), value) ? [] : [userId]))
  broken(
    'a profile',
    of(profiles, (row, name) => row?.display_name === name),
  )
  broken(
    'a consent',
    of(consents, (row, consent) => row?.consent === consent),
  )
  broken(
    'a survey',
    of(surveys, (row) => row?.surveyed === true),
  )
  return faults
}

/** What is wrong with the event bus: effects published other than once, unread events, dead letters. */
async function busFaults({ sql, redis, bus }: Stores): Promise<string[]> {
  const faults: string[] = []
  const events = await bus.events()
  const publishedEvents = Map.groupBy(
    events.filter(({ type }) => type === 'achievement.unlocked'),
    ({ data }) => userIdOf(data),
  )
  const unlocked =
    await sql`SELECT user_id FROM engagement.participants WHERE achievement_unlocked_at IS NOT NULL`
  for (const { user_id } of unlocked)
    if (publishedEvents.get(String(user_id))?.length !== 1)
      faults.push(
        `the achievement of ${user_id} was published ${publishedEvents.get(String(user_id))?.length ?? 0} times`,
      )
  const ends = events.filter(({ type }) => type === 'activity.ended').length
  if (ends !== 1) faults.push(`the end of the activity was published ${ends} times`)
  const dead = Number(await redis.send('XLEN', [DEAD_KEY]))
  if (dead > 0) faults.push(`${dead} dead letters`)
  return [...faults, ...(await unread(redis))]
}

/** Consumer groups with unfinished events. */
async function unread(redis: Bun.RedisClient): Promise<string[]> {
  const groups: unknown = await redis.send('XINFO', ['GROUPS', STREAM_KEY])
  if (!Array.isArray(groups)) return []
  return groups.flatMap((group: unknown) => {
    const facts = redisFields(group)
    const [pending, lag] = [Number(facts.get('pending') ?? 0), Number(facts.get('lag') ?? 0)]
    return pending + lag > 0
      ? [`${facts.get('name')} has ${pending} unfinished events and ${lag} before it`]
      : []
  })
}

function userIdOf(data: string): string {
  const { userId }: { userId?: string } = JSON.parse(data)
  return userId ?? ''
}
