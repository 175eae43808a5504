import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { onceStatement } from '@palanquin/events/once'

/** A row for each of hundreds of thousands, in one statement; below the six seconds of a handler. */
const EVERYBODY_DEADLINE_MS = 5_500
/** A process that dies with orders in hand gives them back after this. */
const LEASE_S = 30

const ONE = `
INSERT INTO media.card_orders (user_id) SELECT $2 FROM fresh
ON CONFLICT (user_id) DO UPDATE SET asked_at = now(), tries = 0`

const EVERYBODY = `
INSERT INTO media.card_orders (user_id)
SELECT user_id FROM engagement.participants, fresh WHERE achievement_unlocked_at IS NOT NULL
ON CONFLICT (user_id) DO UPDATE SET asked_at = now(), tries = 0`

const CLAIM = `
UPDATE media.card_orders SET leased_until = now() + make_interval(secs => ${LEASE_S}), tries = tries + 1
 WHERE user_id IN (
   SELECT user_id FROM media.card_orders WHERE leased_until < now()
    ORDER BY leased_until, asked_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING user_id AS "userId", asked_at::text AS "askedAt", tries`

/** An order that came again while it was being carried out stays. */
const DONE = 'DELETE FROM media.card_orders WHERE user_id = $1 AND asked_at::text = $2'

const GIVE_BACK = `
UPDATE media.card_orders SET leased_until = now() + make_interval(secs => $2), tries = tries - 1
 WHERE user_id = ANY($1::text[])`

export type Order = { userId: string; askedAt: string; tries: number }

/** Cards to be made ahead, in the database: they outlive every process, and each is one process's at a time. */
export const orderStore = (db: Pick<Database, 'query'>) => ({
  /** Handler of `achievement.unlocked`. */
  one: async ({ id, data: { userId } }: DomainEvent<'achievement.unlocked'>): Promise<void> => {
    await db.query(onceStatement({ schema: 'media', effects: [ONE] }), [id, userId])
  },
  /** Handler of `activity.ended`: everybody whose achievement is unlocked. */
  everybody: async ({ id }: DomainEvent<'activity.ended'>): Promise<void> => {
    await db.query(onceStatement({ schema: 'media', effects: [EVERYBODY] }), [id], {
      deadlineMs: EVERYBODY_DEADLINE_MS,
    })
  },
  claim: (count: number): Promise<Order[]> => db.query<Order>(CLAIM, [count]),
  done: async ({ userId, askedAt }: Order): Promise<void> => {
    await db.query(DONE, [userId, askedAt])
  },
  giveBack: async (userIds: readonly string[], pauseS: number): Promise<void> => {
    await db.query(GIVE_BACK, [userIds, pauseS])
  },
  left: async (): Promise<number> =>
    (await db.query<{ left: number }>('SELECT count(*)::int AS left FROM media.card_orders'))[0]?.left ?? 0,
})

export type OrderStore = ReturnType<typeof orderStore>
