import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { forgetInOutbox } from '@palanquin/events/forget-outbox'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type from 'typebox'
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
 * was read (it would not see those rows). What is found later is dropped by the tombstone.
 */
const ERASE = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING cursor, version
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

/** $1 mark, $2 shard, $3 until when. From then on no statement of any service writes what was received of the participant. */
const CLOSE = `
INSERT INTO tracking.erasures (mark, shard, at) VALUES ($1, $2, $3::text::timestamptz)
ON CONFLICT (mark) DO UPDATE SET at = greatest(erasures.at, excluded.at)
RETURNING at, pg_current_xact_id()::text AS xid`
const Closed = Type.Object({ at: Timestamp, xid: Type.String() })

const HAVE_OLDER_ENDED = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 AS ended'
const Ended = Type.Object({ ended: Type.Boolean() })

/** $1 mark, $2 until when it was closed, $3 the end, $4 shard. A flush that has read the older time has no effect. */
const OPEN = `
WITH opened AS (
  UPDATE tracking.erasures SET at = $3::text::timestamptz WHERE mark = $1 AND at = $2::text::timestamptz
)
UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $4 RETURNING cursor, version`
const Opened = Type.Object({ cursor: Type.String(), version: Type.Integer() })

/** Longer than a statement of a request may take. */
const OLDER_MS_MAX = 5_000
const OLDER_EVERY_MS = 10

/**
 * Makes void what is received of a participant until then, and waits for the statements that began before and cannot see
 * that. Resolves with until when it is void. @throws StoreUnavailable
 */
export async function closeParticipant(
  db: Database,
  { userId, token, until }: { userId: string; token: string; until: number },
): Promise<number> {
  const [closed] = await db.queryAs(Closed, CLOSE, [token, shardOf(userId), toIso(until)])
  if (!closed) throw new Error('the statement of a tombstone returned no row')
  const endMs = performance.now() + OLDER_MS_MAX
  while (performance.now() < endMs) {
    const [older] = await db.queryAs(Ended, HAVE_OLDER_ENDED, [closed.xid])
    if (older?.ended) break
    await Bun.sleep(OLDER_EVERY_MS)
  }
  return closed.at.getTime()
}

/** From `at` on what is received is a new participant's, unless another erasure has begun. @throws StoreUnavailable */
export async function openParticipant(
  db: Database,
  { userId, token, closedUntil, at }: { userId: string; token: string; closedUntil: number; at: number },
): Promise<ShardState> {
  const [state] = await db.queryAs(Opened, OPEN, [token, toIso(closedUntil), toIso(at), shardOf(userId)])
  if (!state) throw new Error('the shard has no cursor')
  return state
}

export type ErasedRows = ShardState & {
  points: number
  tracks: number
  hours: number
  setAside: number
  events: number
}

/**
 * Deletes a participant from points, tracks, rollups, beacons, what was set aside and the outbox.
 * @throws StoreUnavailable when PostgreSQL is away or late, or flushes were always faster; to be called again then
 */
export async function eraseRows(db: Database, userId: string): Promise<ErasedRows> {
  const shard = shardOf(userId)
  for (let tries = 0; tries < OVERTAKEN_MAX; tries++) {
    const { version } = await readShardState(db, shard)
    const [erased] = await db.query<ErasedRows>(ERASE, [shard, version, userId], {
      deadlineMs: ERASE_DEADLINE_MS,
    })
    if (erased) return erased
  }
  throw new StoreUnavailable('database', new Error('flushes of the shard were always faster'))
}
