import type { Database } from '@palanquin/db/client'
import { erasures } from '@palanquin/db/schema/tracking'
import { shardOf } from '@palanquin/domain/ids'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { Redis } from '@palanquin/service/redis'
import { eq, lt } from 'drizzle-orm'
import { callRedis } from '../buffer/call-redis.ts'
import { erasedKey } from '../buffer/keys.ts'
import type { Entry } from '../buffer/read.ts'

/** The journal of a process that was stopped before an erasure may be replayed so long after it. */
const KEPT_MS = 90 * 24 * 3_600_000

/** Whether a buffer entry was received before its participant was erased. */
export type IsErased = (entry: Entry) => boolean

/**
 * Who of a shard was erased. Read it after the shard's version: an erasure in between moves the version, so that what a
 * flush then stores has no effect. @throws StoreUnavailable
 */
export async function readErased(db: Database, shard: number, tokenOf: ErasureTokenOf): Promise<IsErased> {
  const rows = await db.orm((orm) => orm.select().from(erasures).where(eq(erasures.shard, shard)))
  if (rows.length === 0) return () => false
  const erasedAt = new Map(rows.map(({ token, at }) => [token, at.getTime()]))
  return ({ fields: { u: userId, r: receivedAt } }) =>
    userId !== undefined && Number(receivedAt) <= (erasedAt.get(tokenOf(userId)) ?? Number.NEGATIVE_INFINITY)
}

/** Restores the tokens in a Redis that has come back without them. @throws StoreUnavailable */
export async function restoreErasureTokens(db: Database, redis: Redis): Promise<void> {
  const rows = await db.orm((orm) => orm.select().from(erasures))
  for (const { token, shard, at } of rows)
    await callRedis(redis.hSetNX(erasedKey(shard), token, String(at.getTime())))
}

/** Deletes tokens that no journal can need any more. @throws StoreUnavailable */
export async function deleteOldTokens(db: Database, redis: Redis, now: number): Promise<void> {
  const { token, shard, at } = erasures
  const rows = await db.orm((orm) =>
    orm
      .delete(erasures)
      .where(lt(at, new Date(now - KEPT_MS)))
      .returning({ token, shard }),
  )
  for (const { token, shard } of rows) await callRedis(redis.hDel(erasedKey(shard), token))
}

/** Whether a participant is the one of an erasure token; the shard is compared first, which costs next to nothing. */
export const matchesToken =
  ({ shard, mark }: { shard: number; mark: string }, tokenOf: ErasureTokenOf) =>
  (userId: string): boolean =>
    shardOf(userId) === shard && tokenOf(userId) === mark
