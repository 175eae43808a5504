import type { Database } from '@palanquin/db/client'

import type { SetAside } from '../buffer/decode.ts'
import { gatherSums } from '../rollup/gather.ts'
import { CELLS, FRESH, NEW_TRACKS, QUARTERS, TRACKS } from './batch-rows.ts'
import type { Plan } from './plan.ts'
import { advancedEvents, checkedRow, checkpointRows, pointRow, setAsideRow } from './rows.ts'
import { FLUSH_DEADLINE_MS, STORE_BATCH, StoredRow } from './statements.ts'

export type Batch = {
  shard: number
  version: number
  cursor: string
  plan: Plan
  setAside: readonly SetAside[]
  /** Of the hours and days of the rollups. */
  timeZone: string
}

/**
 * Stores a batch. Null when the shard's version is another by now: another flusher was faster, and nothing was done.
 * @throws StoreUnavailable when PostgreSQL is away or late; the batch may be stored then
 */
export async function storeBatch(
  db: Database,
  { shard, version, cursor, plan, setAside, timeZone }: Batch,
): Promise<StoredRow | null> {
  const { fresh, repeated, carried, tracks } = plan
  const checked = tracks.filter(({ hasLate, isUnreadable }) => hasLate || isUnreadable)
  const advanced = tracks.filter((track) => track.advanced)
  const sums = gatherSums(tracks)
  const [stored] = await db.queryAs(
    StoredRow,
    STORE_BATCH,
    [
      shard,
      version,
      cursor,
      JSON.stringify(repeated.map(pointRow)),
      JSON.stringify(carried.map(pointRow)),
      JSON.stringify(checked.map(checkedRow)),
      JSON.stringify(setAside.map(setAsideRow)),
      timeZone,
      advancedEvents(shard, advanced),
      JSON.stringify(tracks.flatMap(({ userId, checkpoints }) => checkpointRows(userId, checkpoints))),
      ...FRESH.lists(fresh),
      ...NEW_TRACKS.lists(tracks.filter(({ isKnown }) => !isKnown)),
      ...TRACKS.lists(tracks.filter(({ isKnown }) => isKnown)),
      ...QUARTERS.lists(sums.quarters),
      ...CELLS.lists(sums.cells),
    ],
    { deadlineMs: FLUSH_DEADLINE_MS },
  )
  return stored ? { ...stored, inserted: stored.inserted + fresh.length } : null
}
