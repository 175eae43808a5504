import type { Database } from '@palanquin/db/client'
import { activity } from '@palanquin/db/schema/engagement'
import { ActivityStatus, PauseMessage } from '@palanquin/domain/activity'
import type { Redis } from '@palanquin/service/redis'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { callRedis } from '../buffer/call-redis.ts'

/** Written by engagement; PostgreSQL is the truth behind it. */
const ACTIVITY_KEY = 'activity'
const READ_DEADLINE_MS = 500

export const Activity = Type.Object({
  status: ActivityStatus,
  since: Type.String(),
  message: Type.Optional(PauseMessage),
})
export type Activity = Static<typeof Activity>

const activities = Compile(Activity)
const messages = Compile(PauseMessage)
const statuses = Compile(ActivityStatus)

/** What the Redis key says; null without a connection, and when the key is missing or unreadable. @throws StoreUnavailable */
export async function activityInRedis(redis: Redis): Promise<Activity | null> {
  if (!redis.isReady) return null
  return parseActivity(await callRedis(redis.get(ACTIVITY_KEY), READ_DEADLINE_MS))
}

/** @throws StoreUnavailable */
export async function activityInDatabase(db: Database): Promise<Activity | null> {
  const { status, since, message } = activity
  const [row] = await db.orm((orm) => orm.select({ status, since, message }).from(activity), {
    deadlineMs: READ_DEADLINE_MS,
  })
  if (!row || !statuses.Check(row.status)) return null
  const pause = messages.Check(row.message) ? { message: row.message } : {}
  return { status: row.status, since: row.since.toISOString(), ...pause }
}

function parseActivity(raw: string | null): Activity | null {
  try {
    const value: unknown = JSON.parse(raw ?? 'null')
    return activities.Check(value) ? value : null
  } catch {
    return null // engagement writes the key again within half a second
  }
}
