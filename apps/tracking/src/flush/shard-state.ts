import type { Database } from '@palanquin/db/client'
import { flushCursors } from '@palanquin/db/schema/tracking'
import { asc, eq, sql } from 'drizzle-orm'

/**
 * How far a shard has been stored; `version` guards everything that a flush writes. Of hours that end after `packedUntil`
 * (epoch ms) nothing is packed.
 */
export type ShardState = Pick<typeof flushCursors.$inferSelect, 'cursor' | 'version'>
export type PackedShardState = ShardState & { packedUntil: number }

/** All shards. @throws StoreUnavailable */
export const readShardStates = (db: Database): Promise<(ShardState & { shard: number })[]> => {
  const { shard, cursor, version } = flushCursors
  return db.orm((orm) =>
    orm.select({ shard, cursor, version }).from(flushCursors).orderBy(asc(flushCursors.shard)),
  )
}

/** @throws StoreUnavailable when PostgreSQL is away */
export async function readShardState(db: Database, shard: number): Promise<PackedShardState> {
  const { cursor, version, packedUntil } = flushCursors
  const [state] = await db.orm((orm) =>
    orm
      .select({
        cursor,
        version,
        packedUntil: sql`extract(epoch from ${packedUntil}) * 1000`.mapWith(Number),
      })
      .from(flushCursors)
      .where(eq(flushCursors.shard, shard)),
  )
  if (!state)
    throw new Error(`tracking.flush_cursors has no row for shard ${shard}: were the migrations run?`)
  return state
}
