import type { Database } from '@palanquin/db/client'
import { tracks } from '@palanquin/db/schema/tracking'
import { asc, sql } from 'drizzle-orm'
import { GROUP_USERS, type Group, type RebuildBudget, type RebuildContext, rebuildGroup } from './group.ts'

/** Rounds lost to other flushers before the rest waits for the next flush. */
const OVERTAKEN_MAX = 10

/**
 * Points that a scheduled flush reads for rebuilds, some seconds of one core, so that late points delay no check-in. What is
 * beyond it waits for the next flush, marked. One track that is longer is rebuilt all the same, alone.
 */
export const REBUILD_POINTS_A_FLUSH = 200_000

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
  const { metrics, log } = context
  const group: Group = { failed: [], usersMax: GROUP_USERS }
  let rebuilt = 0
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; ) {
    if (budget.points <= 0) return rebuilt
    const { tracks, stored } = await context.pace.batch(() => rebuildGroup(context, shard, { budget, group }))
    if (stored === 'done') return rebuilt
    if (stored === 'overtaken') overtaken++
    if (stored !== 'stored') continue
    rebuilt += tracks
    metrics.rebuilds.inc(tracks)
    overtaken = 0
  }
  log.warn(
    { event: 'flush.rebuild_overtaken', shard },
    'Other flushers were always faster; the remaining rebuilds wait for the next flush',
  )
  return rebuilt
}
