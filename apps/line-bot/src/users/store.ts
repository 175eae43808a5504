import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import { lineUsers } from '@palanquin/db/schema/line'
import { unlessErased } from '@palanquin/db/unless-erased'
import { ActivityStatus } from '@palanquin/domain/activity'
import { Language, ParticipantStatus } from '@palanquin/domain/participant'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { eq } from 'drizzle-orm'
import Type, { type Static } from 'typebox'

/** A LINE user, and what engagement knows of them. */
const User = Type.Object({
  /** Whether line-bot has a row of the user, and engagement one. */
  met: Type.Boolean(),
  participant: Type.Boolean(),
  following: Type.Boolean(),
  notifications: Type.Boolean(),
  blocked: Type.Boolean(),
  displayName: Nullable(Type.String()),
  /** The language that was chosen, and that of the LINE profile. */
  language: Nullable(Language),
  profileLanguage: Nullable(Type.String()),
  status: Nullable(ParticipantStatus),
  activity: ActivityStatus,
})
export type User = Static<typeof User>

/** Engagement's tables are read here (docs/architecture.md): one round trip for every event. */
const FIND = `
SELECT u.user_id IS NOT NULL AS met, p.user_id IS NOT NULL AS participant,
       coalesce(u.following, false) AS following, coalesce(u.notifications, true) AS notifications,
       u.blocked_at IS NOT NULL AS blocked, p.display_name AS "displayName", p.language,
       u.profile_language AS "profileLanguage", p.status, a.status AS activity
  FROM engagement.activity AS a
  LEFT JOIN line.users AS u ON u.user_id = $1
  LEFT JOIN engagement.participants AS p ON p.user_id = $1`

/** Out-of-order follows and unfollows settle by their time; an older one changes nothing. */
const RELATE = `
INSERT INTO line.users AS u (user_id, following, following_ms)
SELECT $1, $2::boolean, $3::bigint WHERE ${unlessErased('$4')}
ON CONFLICT (user_id) DO UPDATE
   SET following = $2, following_ms = $3, updated_at = now(),
       blocked_at = CASE WHEN $2 THEN NULL ELSE u.blocked_at END
 WHERE u.following_ms <= $3
RETURNING 1 AS done`

/** A user who writes to the bot is its friend and has not blocked it at that time. */
const MEET = `
INSERT INTO line.users AS u (user_id, following_ms, profile_language)
SELECT $1, $2::bigint, $3::text WHERE ${unlessErased('$4')}
ON CONFLICT (user_id) DO UPDATE
   SET following = u.following OR u.following_ms <= $2,
       following_ms = greatest(u.following_ms, $2),
       blocked_at = CASE WHEN u.following_ms <= $2 THEN NULL ELSE u.blocked_at END,
       profile_language = coalesce($3, u.profile_language), updated_at = now()`

/** An older wish changes nothing. */
const NOTIFY = `
INSERT INTO line.users AS u (user_id, notifications, notifications_ms)
SELECT $1, $2::boolean, $3::bigint WHERE ${unlessErased('$4')}
ON CONFLICT (user_id) DO UPDATE SET notifications = $2, notifications_ms = $3, updated_at = now()
 WHERE u.notifications_ms <= $3`

/** Users who blocked the bot and are no participants, once no follow can be under way any more. */
const FORGET_UNREGISTERED = `
DELETE FROM line.users AS u
 WHERE NOT u.following AND u.updated_at < now() - interval '7 days'
   AND NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = u.user_id)`

/** `line.users`. What happened before somebody was erased makes no row. All throw StoreUnavailable. */
export function userStore(db: Pick<Database, 'query' | 'queryAs' | 'orm'>, receiptOf: ReceiptOf) {
  return {
    find: async (userId: string): Promise<User> => {
      const [row] = await db.queryAs(User, FIND, [userId])
      if (!row) throw new Error('the activity has no row')
      return row
    },
    /** Records a follow or an unfollow at a time; false when a later one is recorded already. */
    relate: async (userId: string, following: boolean, atMs: number): Promise<boolean> =>
      (await db.query(RELATE, [userId, following, atMs, receiptOf(userId, atMs)])).length > 0,
    /** Records that a user wrote at a time. A language of null keeps the known one. */
    meet: async (userId: string, atMs: number, profileLanguage: string | null): Promise<void> => {
      await db.query(MEET, [userId, atMs, profileLanguage, receiptOf(userId, atMs)])
    },
    /** Sets whether the user wants notifications, as of a time. */
    notify: async (userId: string, wanted: boolean, atMs: number): Promise<void> => {
      await db.query(NOTIFY, [userId, wanted, atMs, receiptOf(userId, atMs)])
    },
    forgetUnregistered: async (): Promise<void> => {
      await db.query(FORGET_UNREGISTERED)
    },
    erase: async (userId: string): Promise<number> => {
      const { userId: id } = lineUsers
      return (await db.orm((orm) => orm.delete(lineUsers).where(eq(id, userId)).returning({ id }))).length
    },
  }
}

export type UserStore = ReturnType<typeof userStore>
