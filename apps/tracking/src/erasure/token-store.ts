import type { Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import type { Redis } from '@palanquin/service/redis'
import { callRedis } from '../buffer/call-redis.ts'
import { erasedKey } from '../buffer/keys.ts'
import type { Entry } from '../buffer/read.ts'
import type { ErasureTokenOf } from './token.ts'

/** A journal that lay in a drawer since before an erasure should still be known for void. They name nobody. */
const KEPT_DAYS = 90

/** Whether a buffer entry was received of somebody who was erased afterwards. */
export type IsErased = (entry: Entry) => boolean

/**
 * Who of a shard was erased. Read it after the shard's version: an erasure in between moves the version, so that what a
 * flush then stores has no effect. @throws StoreUnavailable
 */
export async function readErased(db: Database, shard: number, tokenOf: ErasureTokenOf): Promise<IsErased> {
  const rows = await db.query<{ mark: string; at: Date }>(
    'SELECT mark, at FROM tracking.erasures WHERE shard = $1',
    [shard],
  )
  if (rows.length === 0) return () => false
  const erasedAt = new Map(rows.map(({ mark, at }) => [mark, at.getTime()]))
  return ({ fields: { u: userId, r: receivedAt } }) =>
    userId !== undefined && Number(receivedAt) <= (erasedAt.get(tokenOf(userId)) ?? Number.NEGATIVE_INFINITY)
}

/** Brings the marks back to a Redis that has come back without them. @throws StoreUnavailable */
export async function restoreErasureTokens(db: Database, redis: Redis): Promise<void> {
  const rows = await db.query<{ mark: string; shard: number; at: Date }>(
    'SELECT mark, shard, at FROM tracking.erasures',
  )
  for (const { mark, shard, at } of rows)
    await callRedis(redis.hSetNX(erasedKey(shard), mark, String(at.getTime())))
}

/** Forgets marks that nothing can come to light behind any more. @throws StoreUnavailable */
export async function deleteOldTokens(db: Database, redis: Redis, now: number): Promise<void> {
  const rows = await db.query<{ mark: string; shard: number }>(
    'DELETE FROM tracking.erasures WHERE at < $1::text::timestamptz - make_interval(days => $2) RETURNING mark, shard',
    [toIso(now), KEPT_DAYS],
  )
  for (const { mark, shard } of rows) await callRedis(redis.hDel(erasedKey(shard), mark))
}

/** Whether a participant is the one of a mark: the shard first, which costs next to nothing. */
export const matchesToken =
  ({ shard, mark }: { shard: number; mark: string }, tokenOf: ErasureTokenOf) =>
  (userId: string): boolean =>
    shardOf(userId) === shard && tokenOf(userId) === mark
