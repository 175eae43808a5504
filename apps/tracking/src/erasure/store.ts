import type { Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { forgetInOutbox } from '@palanquin/events/forget-outbox'
import { StoreUnavailable } from '@palanquin/service/http/api-error'

import { readShardState, type ShardState } from '../flush/shard-state.ts'
import { erasePoints } from '../packed/erase.ts'
import { eraseFromRollups } from '../rollup/erase.ts'

/** Nine days of a point a second are 800,000 rows. */
const ERASE_DEADLINE_MS = 25_000
/** Flushes of the shard that may come in between. */
const OVERTAKEN_MAX = 20

/** The userId where the compare and swap succeeded; else null, which no row has. */
const THEM = '(SELECT $3::text FROM moved)'

/**
 * A participant's rows in ONE statement. `moved` is the compare and swap of a batch of the flush: a flush that read the
 * participant's points before this has no effect after it, and this none if a flush stored something since the version
 * was read (it would not see those rows). What was received up to $5 and is found later is dropped by the token.
 */
const ERASE = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING cursor, version
), marked AS (
  INSERT INTO tracking.erasures (mark, shard, at) SELECT $4, $1, $5::text::timestamptz FROM moved
  ON CONFLICT (mark) DO UPDATE SET at = greatest(erasures.at, excluded.at)
), ${erasePoints(THEM)}, erased_carried AS (
  DELETE FROM tracking.carried_points WHERE user_id = ${THEM} RETURNING 1
), erased_spans AS (
  DELETE FROM tracking.carried_spans WHERE user_id = ${THEM}
), erased_device AS (
  DELETE FROM tracking.beacon_devices WHERE user_id = ${THEM}
), erased_reports AS (
  DELETE FROM tracking.device_reports WHERE user_id = ${THEM}
), erased_tracks AS (
  DELETE FROM tracking.tracks WHERE user_id = ${THEM} RETURNING 1
), erased_checkpoints AS (
  DELETE FROM tracking.checkpoints WHERE user_id = ${THEM}
), erased_aside AS (
  DELETE FROM tracking.set_aside WHERE strpos(entry->>'text', '"u":"' || ${THEM} || '"') > 0 RETURNING 1
), ${eraseFromRollups({ userId: THEM, shard: '$1' })},
${forgetInOutbox({ schema: 'tracking', user: '$3', guard: 'AND EXISTS (SELECT FROM moved)' })}
SELECT cursor, version,
       (SELECT count(*) FROM erased_points) + (SELECT count(*) FROM erased_carried) AS points, (SELECT count(*) FROM erased_tracks) AS tracks,
       (SELECT count(*) FROM erased_hours) AS hours, (SELECT count(*) FROM erased_aside) AS "setAside",
       (SELECT events FROM forgotten) AS events
  FROM moved`

export type ErasedRows = ShardState & {
  points: number
  tracks: number
  hours: number
  setAside: number
  events: number
}

/**
 * Deletes a participant from points, tracks, rollups, beacons, what was set aside and the outbox, and keeps the erasure token.
 * @throws StoreUnavailable when PostgreSQL is away or late, or flushes were always faster; to be called again then
 */
export async function eraseRows(
  db: Database,
  { userId, token, at }: { userId: string; token: string; at: number },
): Promise<ErasedRows> {
  const shard = shardOf(userId)
  for (let tries = 0; tries < OVERTAKEN_MAX; tries++) {
    const { version } = await readShardState(db, shard)
    const [erased] = await db.query<ErasedRows>(ERASE, [shard, version, userId, token, toIso(at)], {
      deadlineMs: ERASE_DEADLINE_MS,
    })
    if (erased) return erased
  }
  throw new StoreUnavailable('database', new Error('flushes of the shard were always faster'))
}
