import type { Database } from '@palanquin/db/client'
import { flushCursors } from '@palanquin/db/schema/tracking'
import { asc, eq } from 'drizzle-orm'

/** How far a shard has been stored; `version` guards everything that a flush writes. */
export type ShardState = Pick<typeof flushCursors.$inferSelect, 'cursor' | 'version'>

/** All shards. @throws StoreUnavailable */
export const readShardStates = (db: Database): Promise<(ShardState & { shard: number })[]> =>
  db.orm((orm) => orm.select().from(flushCursors).orderBy(asc(flushCursors.shard)))

/** @throws StoreUnavailable when PostgreSQL is away */
export async function readShardState(db: Database, shard: number): Promise<ShardState> {
  const { cursor, version } = flushCursors
  const [state] = await db.orm((orm) =>
    orm.select({ cursor, version }).from(flushCursors).where(eq(flushCursors.shard, shard)),
  )
  if (!state)
    throw new Error(`tracking.flush_cursors has no row for shard ${shard}: were the migrations run?`)
  return state
}
