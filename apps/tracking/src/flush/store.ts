import type { Database } from '@palanquin/db/client'

import type { SetAside } from '../buffer/decode.ts'
import { kilometreRows } from '../rollup/kilometres.ts'
import type { Plan } from './plan.ts'
import { advancedEvents, checkpointRows, pointRow, setAsideRow, trackRow } from './rows.ts'
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
  const advanced = plan.tracks.filter((track) => track.advanced)
  const [stored] = await db.queryAs(
    StoredRow,
    STORE_BATCH,
    [
      shard,
      version,
      cursor,
      JSON.stringify(plan.points.map(pointRow)),
      JSON.stringify(plan.tracks.map(trackRow)),
      JSON.stringify(setAside.map(setAsideRow)),
      JSON.stringify(advancedEvents(shard, advanced).map((data) => ({ data }))),
      timeZone,
      JSON.stringify(plan.tracks.flatMap(({ userId, counted }) => kilometreRows(userId, counted))),
      JSON.stringify(plan.repeated.map(pointRow)),
      JSON.stringify(plan.tracks.flatMap(({ userId, checkpoints }) => checkpointRows(userId, checkpoints))),
      JSON.stringify(plan.carried.map(pointRow)),
    ],
    { deadlineMs: FLUSH_DEADLINE_MS },
  )
  return stored ?? null
}
