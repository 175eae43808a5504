import type { Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { BatchLoader } from '@palanquin/service/batching'
import type { PendingCheckin } from './pending-checkins.ts'
import { type Snapshot, type StaffFields, snapshotOf, staffFieldsOf } from './snapshot.ts'
import { SNAPSHOTS, SNAPSHOTS_WITHOUT_PENDING, type SnapshotRow } from './snapshot-sql.ts'

/** A participant with the check-ins that were pending before the database is read. */
export type SnapshotRequest = { userId: string; pending: readonly PendingCheckin[] }

/** A statement for more of them would delay the first. */
const SNAPSHOTS_PER_STATEMENT_MAX = 64

/** Reads snapshots; unknown participants are in the result too. @throws StoreUnavailable */
export async function readSnapshots(
  db: Database,
  requests: readonly SnapshotRequest[],
): Promise<Map<string, { snapshot: Snapshot; staffFields: StaffFields }>> {
  const rows = await rowsOf(db, requests)
  return new Map(
    rows.map((row) => [row.user_id, { snapshot: snapshotOf(row), staffFields: staffFieldsOf(row) }]),
  )
}

/** Reads the snapshot of one participant. @throws StoreUnavailable */
export type ReadSnapshot = (request: SnapshotRequest) => Promise<Snapshot>

/** Reads those that are requested within one tick of the event loop together: ten cost little more than one. */
export function snapshotReader(db: Database): ReadSnapshot {
  const loader = new BatchLoader<SnapshotRequest, Snapshot>({
    sizeMax: SNAPSHOTS_PER_STATEMENT_MAX,
    loadAll: async (requests) => {
      // Of two requests for one participant the later one knows all check-ins that the earlier one knows.
      const byUser = new Map(requests.map((request) => [request.userId, request]))
      const known = await readSnapshots(db, [...byUser.values()])
      return requests.map(({ userId }) => {
        const found = known.get(userId)
        if (!found) throw new Error('the snapshot statement returned no row')
        return found.snapshot
      })
    },
  })
  return (request) => loader.load(request)
}

/** Most have no pending check-in, and their statement costs a fraction. */
async function rowsOf(db: Database, requests: readonly SnapshotRequest[]): Promise<SnapshotRow[]> {
  const { settled = [], waiting = [] } = Object.groupBy(requests, ({ pending }) =>
    pending.length === 0 ? 'settled' : 'waiting',
  )
  const rows = await Promise.all([rowsOfSettled(db, settled), rowsOfWaiting(db, waiting)])
  return rows.flat()
}

async function rowsOfSettled(db: Database, requests: readonly SnapshotRequest[]): Promise<SnapshotRow[]> {
  if (requests.length === 0) return []
  const rows = await db.query<SnapshotRow>(SNAPSHOTS_WITHOUT_PENDING, keysOf(requests))
  const unsettled = new Set(rows.filter((row) => row.unsettled).map((row) => row.user_id))
  if (unsettled.size === 0) return rows
  const recounted = await rowsOfWaiting(
    db,
    requests.filter(({ userId }) => unsettled.has(userId)),
  )
  return [...rows.filter((row) => !row.unsettled), ...recounted]
}

async function rowsOfWaiting(db: Database, requests: readonly SnapshotRequest[]): Promise<SnapshotRow[]> {
  if (requests.length === 0) return []
  const pending = requests.flatMap(({ userId, pending }) => pending.map((one) => ({ userId, ...one })))
  return db.query<SnapshotRow>(SNAPSHOTS, [
    ...keysOf(requests),
    pending.map(({ userId }) => userId),
    pending.map(({ entryId }) => entryId),
    pending.map(({ recordedAtMs }) => toIso(recordedAtMs)),
  ])
}

function keysOf(requests: readonly SnapshotRequest[]): [userIds: string[], shards: number[]] {
  const userIds = requests.map(({ userId }) => userId)
  return [userIds, userIds.map(shardOf)]
}
