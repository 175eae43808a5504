import type { Database } from '@palanquin/db/client'
import { cardOrders } from '@palanquin/db/schema/media'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { DomainEvent } from '@palanquin/domain/events'
import { onceStatement } from '@palanquin/events/once'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import Type, { type Static } from 'typebox'

/** A row for each of hundreds of thousands, in one statement; below the six seconds of a handler. */
const ALL_DEADLINE_MS = 5_500
/** After a crash of the process that claimed them, other processes may claim the orders. */
const LEASE_S = 30

const ORDER_ONE = `
INSERT INTO media.card_orders (user_id) SELECT $2 FROM fresh WHERE ${unlessErased('$3')}
ON CONFLICT (user_id) DO UPDATE SET asked_at = now(), tries = 0`

const ORDER_ALL_UNLOCKED = `
INSERT INTO media.card_orders (user_id)
SELECT user_id FROM engagement.participants, fresh WHERE achievement_unlocked_at IS NOT NULL
ON CONFLICT (user_id) DO UPDATE SET asked_at = now(), tries = 0`

/** The time as text: `done` compares it to the microsecond. */
const CLAIM = `
UPDATE media.card_orders SET leased_until = now() + make_interval(secs => ${LEASE_S}), tries = tries + 1
 WHERE user_id IN (
   SELECT user_id FROM media.card_orders WHERE leased_until < now()
    ORDER BY leased_until, asked_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING user_id AS "userId", asked_at::text AS "askedAt", tries`
const Order = Type.Object({ userId: Type.String(), askedAt: Type.String(), tries: Type.Integer() })
export type Order = Static<typeof Order>

const DONE = 'DELETE FROM media.card_orders WHERE user_id = $1 AND asked_at::text = $2'

const RELEASE = `
UPDATE media.card_orders SET leased_until = now() + make_interval(secs => $2), tries = tries - 1
 WHERE user_id = ANY($1::text[])`

/** Orders of cards to be pre-rendered: they survive a crash, and each is claimed by one process at a time. */
export const orderStore = (db: Pick<Database, 'orm' | 'query' | 'queryAs'>, receiptOf: ReceiptOf) => ({
  /** Handler of `achievement.unlocked`. */
  orderOne: async ({ id, data: { userId, at } }: DomainEvent<'achievement.unlocked'>): Promise<void> => {
    const receipt = receiptOf(userId, Date.parse(at))
    await db.query(onceStatement({ schema: 'media', effects: [ORDER_ONE] }), [id, userId, receipt])
  },
  /** Handler of `activity.ended`: for everybody whose achievement is unlocked. */
  orderAllUnlocked: async ({ id }: DomainEvent<'activity.ended'>): Promise<void> => {
    await db.query(onceStatement({ schema: 'media', effects: [ORDER_ALL_UNLOCKED] }), [id], {
      deadlineMs: ALL_DEADLINE_MS,
    })
  },
  claim: (count: number): Promise<Order[]> => db.queryAs(Order, CLAIM, [count]),
  /** Nothing, where the card was ordered again meanwhile. */
  done: async ({ userId, askedAt }: Order): Promise<void> => {
    await db.query(DONE, [userId, askedAt])
  },
  release: async (userIds: readonly string[], pauseS: number): Promise<void> => {
    await db.query(RELEASE, [userIds, pauseS])
  },
  count: (): Promise<number> => db.orm((orm) => orm.$count(cardOrders)),
})

export type OrderStore = ReturnType<typeof orderStore>
