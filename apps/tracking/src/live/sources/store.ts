import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/domain/optional'
import type { LevelKm } from '@palanquin/domain/rank'
import Type, { type Static } from 'typebox'
import { Timestamp } from '../../timestamp.ts'

/** A process that starts reads all tracks of a shard at once. */
const SHARD_DEADLINE_MS = 10_000

/** A shard's cursor, and a track that changed; its columns are null where no track did. */
export const ShardRow = Type.Object({
  cursor: Type.String(),
  version: Type.Integer(),
  user_id: Nullable(Type.String()),
  /** Those that a level counts. */
  km: Nullable(Type.Number()),
  checkins: Nullable(Type.Integer()),
  last_lat: Nullable(Type.Number()),
  last_lng: Nullable(Type.Number()),
  last_at: Nullable(Timestamp),
  last_accuracy: Nullable(Type.Number()),
  moved_id: Nullable(Type.String()),
})
export type ShardRow = Static<typeof ShardRow>

/** One statement, so that cursor and tracks are of one snapshot. */
const readShardStatement = (levelKm: LevelKm): string => `
SELECT c.cursor, c.version, t.user_id, t.walked_km${levelKm === 'walked' ? '' : ' + t.motorized_km'} AS km, t.checkins, t.last_lat, t.last_lng, t.last_at,
       t.last_accuracy, t.moved_id
  FROM tracking.flush_cursors AS c LEFT JOIN tracking.tracks AS t ON t.shard = c.shard AND t.version > $2
 WHERE c.shard = $1`

/** A shard's cursor and its tracks that changed since a version. */
export const readShard = (
  db: Database,
  { shard, since, levelKm }: { shard: number; since: number; levelKm: LevelKm },
): Promise<ShardRow[]> =>
  db.query<ShardRow>(readShardStatement(levelKm), [shard, since], { deadlineMs: SHARD_DEADLINE_MS })

export const VersionRow = Type.Object({ shard: Type.Integer(), version: Type.Integer() })

/** The version of each shard, which every flush, rebuild and erasure moves. */
export const readShardVersions = (db: Database): Promise<Static<typeof VersionRow>[]> =>
  db.query('SELECT shard, version FROM tracking.flush_cursors')

export const ErasureRow = Type.Object({ mark: Type.String(), at: Timestamp })

export const readErasures = (db: Database, shard: number): Promise<Static<typeof ErasureRow>[]> =>
  db.query('SELECT mark, at FROM tracking.erasures WHERE shard = $1', [shard])
