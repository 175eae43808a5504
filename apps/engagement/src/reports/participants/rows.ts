import { type RecordStores, readRecords } from '../../participants/record.ts'
import { readCarried } from './carries.ts'
import { type ParticipantRow, participantItem } from './item.ts'
import { readLastSeen } from './last-seen.ts'
import type { ReadLivePositions } from './live-positions.ts'

export type RowStores = RecordStores & { readLive: ReadLivePositions }

/** At most a thousand participants in order; unknown ones are left out. @throws StoreUnavailable */
export async function readRows(
  stores: RowStores,
  userIds: readonly string[],
  { unregistered, requestId }: { unregistered: readonly string[]; requestId: string },
): Promise<ParticipantRow[]> {
  const [records, carried, seen] = await Promise.all([
    readRecords(stores, userIds, unregistered),
    readCarried(stores.db, userIds),
    readLastSeen(stores, userIds, { withPlaces: false, requestId }),
  ])
  return records.map((record) => {
    const { userId } = record.profile
    const carries = carried.get(userId) ?? null
    return {
      item: participantItem(record, { carries, seen: seen.get(userId) }),
      survey: record.snapshot.participant?.survey ?? null,
    }
  })
}
