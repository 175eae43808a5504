import type { Database } from '@palanquin/db/client'
import { tracks } from '@palanquin/db/schema/tracking'
import { ApiError } from '@palanquin/service/http/api-error'

import { asc, sql } from 'drizzle-orm'
import type { AggregateTimeZone } from '../../rollup/time-zone.ts'
import { readCarriedSpans } from '../carried.ts'
import { readShardState } from '../shard-state.ts'
import { FLUSH_DEADLINE_MS } from '../statements.ts'
import { type ReplayContext, type Replayed, replayTrack } from './replay.ts'
import { READ_WAITING, type WaitingRow } from './statements.ts'
import { storeRebuilt } from './store.ts'

/** Participants rebuilt by one pair of statements, and points after which a pair holds no more: bounds on memory. */
const GROUP_USERS = 50
const GROUP_POINTS = 100_000
/** Rounds lost to other flushers before the rest waits for the next flush. */
const OVERTAKEN_MAX = 10

/**
 * Points that a scheduled flush reads for rebuilds, some seconds of one core, so that late points delay no check-in. What is
 * beyond it waits for the next flush, marked. One track that is longer is rebuilt all the same, alone.
 */
export const REBUILD_POINTS_A_FLUSH = 200_000

export type RebuildContext = ReplayContext & { zone: AggregateTimeZone }

/** What of a flush's allowance is left; lanes share it. */
export type RebuildBudget = { points: number }

/** The shards in which a track waits for its rebuild. @throws StoreUnavailable */
export async function shardsToRebuild(db: Database): Promise<number[]> {
  const { shard, needsRebuild } = tracks
  const rows = await db.orm((orm) =>
    orm.selectDistinct({ shard }).from(tracks).where(sql`${needsRebuild}`).orderBy(asc(shard)),
  )
  return rows.map(({ shard }) => shard)
}

/**
 * Recomputes the tracks that a late point made wrong, each from its last valid checkpoint, in the order of their marks.
 * Returns how many; a track that fails, or for which the budget is used up, stays marked.
 * @throws StoreUnavailable when PostgreSQL is away
 */
export async function rebuildShard(
  context: RebuildContext,
  shard: number,
  budget: RebuildBudget,
): Promise<number> {
  const { db, metrics, log } = context
  const group: Group = { failed: [], usersMax: GROUP_USERS }
  let rebuilt = 0
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; ) {
    if (budget.points <= 0) return rebuilt
    const { version } = await readShardState(db, shard)
    const waiting = await readWaiting(db, shard, group)
    if (waiting.length === 0) return rebuilt
    const tracks = await replayGroup(context, { waiting, budget, group })
    const stored = await storeOrSetAside(context, { shard, version, tracks, group })
    if (stored === 'overtaken') overtaken++
    if (stored !== 'stored') continue
    rebuilt += tracks.length
    metrics.rebuilds.inc(tracks.length)
    overtaken = 0
  }
  log.warn(
    { event: 'flush.rebuild_overtaken', shard },
    'Other flushers were always faster; the remaining rebuilds wait for the next flush',
  )
  return rebuilt
}

/** Participants that this flush gave up on, and how many it takes at a time: one, once a group was refused. */
type Group = { failed: string[]; usersMax: number }

const readWaiting = (db: Database, shard: number, { failed, usersMax }: Group): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(READ_WAITING, [shard, failed, usersMax], { deadlineMs: FLUSH_DEADLINE_MS })

async function replayGroup(
  context: RebuildContext,
  { waiting, budget, group }: { waiting: readonly WaitingRow[]; budget: RebuildBudget; group: Group },
): Promise<Replayed[]> {
  const tracks: Replayed[] = []
  const carried = await readCarriedSpans(context.db)
  let points = 0
  for (const one of waiting) {
    if (points >= GROUP_POINTS || budget.points <= 0) break
    try {
      const track = await replayTrack(context, one, carried)
      points += track.read
      budget.points -= track.read
      tracks.push(track)
    } catch (error) {
      setAside(context, { group, userId: one.user_id, error })
    }
  }
  return tracks
}

type Store = { shard: number; version: number; tracks: readonly Replayed[]; group: Group }

async function storeOrSetAside(
  context: RebuildContext,
  { shard, version, tracks, group }: Store,
): Promise<'stored' | 'overtaken' | 'none'> {
  const [first] = tracks
  if (!first) return 'none'
  try {
    return (await storeRebuilt(context, { shard, version, tracks })) ? 'stored' : 'overtaken'
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (tracks.length === 1) setAside(context, { group, userId: first.userId, error })
    group.usersMax = 1
    return 'none'
  }
}

/** A track that cannot be computed must not hold up the others: it stays marked, and the log says so. */
function setAside(
  { metrics, log }: RebuildContext,
  { group, userId, error }: { group: Group; userId: string; error: unknown },
): void {
  if (error instanceof ApiError) throw error
  group.failed.push(userId)
  metrics.unreadable.inc({ what: 'points' })
  log.error(
    { event: 'flush.rebuild_failed', err: error },
    'A track could not be rebuilt; it stays marked, and the flush goes on',
  )
}
