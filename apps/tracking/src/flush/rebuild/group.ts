import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import type { AggregateTimeZone } from '../../rollup/time-zone.ts'
import { readCarriedSpans } from '../carried.ts'
import type { Pace } from '../pace.ts'
import { readShardState } from '../shard-state.ts'
import { FLUSH_DEADLINE_MS } from '../statements.ts'
import { type ReplayContext, type Replayed, replayTrack } from './replay.ts'
import { READ_WAITING, type WaitingRow } from './statements.ts'
import { storeRebuilt } from './store.ts'

/** Participants rebuilt by one pair of statements, and points after which a pair holds no more: bounds on memory. */
export const GROUP_USERS = 50
const GROUP_POINTS = 100_000
export type RebuildContext = ReplayContext & { zone: AggregateTimeZone; pace: Pick<Pace, 'batch'> }

/** What of a flush's allowance is left; lanes share it. */
export type RebuildBudget = { points: number }

/** Participants that this flush gave up on, and how many it takes at a time: one, once a group was refused. */
export type Group = { failed: string[]; usersMax: number }

/** How many of the next tracks that wait were recomputed, and whether they are stored; `done` where none waits. */
export async function rebuildGroup(
  context: RebuildContext,
  shard: number,
  { budget, group }: { budget: RebuildBudget; group: Group },
): Promise<{ tracks: number; stored: 'stored' | 'overtaken' | 'none' | 'done' }> {
  const { version } = await readShardState(context.db, shard)
  const waiting = await readWaiting(context.db, shard, group)
  if (waiting.length === 0) return { tracks: 0, stored: 'done' }
  const tracks = await replayGroup(context, { waiting, budget, group })
  return { tracks: tracks.length, stored: await storeOrSetAside(context, { shard, version, tracks, group }) }
}

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
