import type { Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import type { PendingCheckin } from './pending-checkins.ts'
import { type Snapshot, type StaffFields, snapshotOf, staffFieldsOf } from './snapshot.ts'
import { SNAPSHOTS, SNAPSHOTS_WITHOUT_PENDING, type SnapshotRow } from './snapshot-sql.ts'

/** A participant with the check-ins that were pending before the database is read. */
type SnapshotRequest = { userId: string; pending: readonly PendingCheckin[] }

/** Reads snapshots in one statement; unknown participants are in the result too. @throws StoreUnavailable */
export async function readSnapshots(
  db: Database,
  requests: readonly SnapshotRequest[],
): Promise<Map<string, { snapshot: Snapshot; staffFields: StaffFields }>> {
  const rows = await rowsOf(db, requests)
  return new Map(
    rows.map((row) => [row.user_id, { snapshot: snapshotOf(row), staffFields: staffFieldsOf(row) }]),
  )
}

async function rowsOf(db: Database, requests: readonly SnapshotRequest[]): Promise<SnapshotRow[]> {
  const userIds = requests.map(({ userId }) => userId)
  const shards = userIds.map(shardOf)
  const waiting = requests.flatMap(({ userId, pending }) =>
    pending.map((checkin) => ({ userId, ...checkin })),
  )
  if (waiting.length === 0) {
    const rows = await db.query<SnapshotRow>(SNAPSHOTS_WITHOUT_PENDING, [userIds, shards])
    if (!rows.some(({ unsettled }) => unsettled)) return rows
  }
  return db.query<SnapshotRow>(SNAPSHOTS, [
    userIds,
    shards,
    waiting.map(({ userId }) => userId),
    waiting.map(({ entryId }) => entryId),
    waiting.map(({ recordedAtMs }) => toIso(recordedAtMs)),
  ])
}

/** Reads the snapshot of one participant. @throws StoreUnavailable */
export async function readSnapshot(
  db: Database,
  userId: string,
  pending: readonly PendingCheckin[],
): Promise<Snapshot> {
  const known = (await readSnapshots(db, [{ userId, pending }])).get(userId)
  if (!known) throw new Error('the snapshot statement returned no row')
  return known.snapshot
}
