import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { erasures, flushCursors } from '@palanquin/db/schema/tracking'
import type { LevelKm } from '@palanquin/domain/level'
import { eq } from 'drizzle-orm'
import Type, { type Static } from 'typebox'

/** A process that starts reads all tracks of a shard at once. */
const SHARD_DEADLINE_MS = 10_000

/** A shard's cursor and a track that changed, whose columns are null where no track did. */
const ShardRow = Type.Object({
  cursor: Type.String(),
  version: Type.Integer(),
  userId: Nullable(Type.String()),
  /** Those that a level counts. */
  km: Nullable(Type.Number()),
  checkins: Nullable(Type.Integer()),
  lat: Nullable(Type.Number()),
  lng: Nullable(Type.Number()),
  at: Nullable(Timestamp),
  accuracy: Nullable(Type.Number()),
  movedId: Nullable(Type.String()),
  /** Null for a track from before the first points were dated. */
  firstAt: Nullable(Timestamp),
})
export type ShardRow = Static<typeof ShardRow>

/** Raw SQL, as a shard may have thousands of rows; one statement, so that cursor and tracks are of one snapshot. */
const READ_SHARD = `
SELECT c.cursor, c.version, t.user_id AS "userId", t.checkins, t.last_lat AS lat, t.last_lng AS lng, t.last_at AS at,
       t.last_accuracy AS accuracy, t.moved_id AS "movedId", t.first_at AS "firstAt",
       t.walked_km + CASE WHEN $3::text = 'walked' THEN 0 ELSE t.motorized_km END AS km
  FROM tracking.flush_cursors AS c LEFT JOIN tracking.tracks AS t ON t.shard = c.shard AND t.version > $2
 WHERE c.shard = $1`

/** A shard's cursor and its tracks that changed since a version. */
export const readShard = (
  db: Database,
  { shard, since, levelKm }: { shard: number; since: number; levelKm: LevelKm },
): Promise<ShardRow[]> =>
  db.queryAs(ShardRow, READ_SHARD, [shard, since, levelKm], { deadlineMs: SHARD_DEADLINE_MS })

/** The version of each shard, which every flush, rebuild and erasure moves. */
export const readShardVersions = (db: Database): Promise<{ shard: number; version: number }[]> =>
  db.orm((orm) => orm.select({ shard: flushCursors.shard, version: flushCursors.version }).from(flushCursors))

export const readErasures = (db: Database, shard: number): Promise<{ token: string; at: Date }[]> =>
  db.orm((orm) =>
    orm.select({ token: erasures.token, at: erasures.at }).from(erasures).where(eq(erasures.shard, shard)),
  )
