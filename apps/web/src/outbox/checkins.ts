import { store } from '../store.ts'
import type { SavedCheckin, StoredCheckin } from './checkin.ts'

/** Received ones are kept as a list for the eye; the service has them all. */
const RECEIVED_KEPT_MAX = 30

const stored = (all: readonly SavedCheckin[]): StoredCheckin[] =>
  all.flatMap((checkin) => (checkin.seq === undefined ? [] : { ...checkin, seq: checkin.seq }))

/** The check-ins of a person on this phone, the latest first. */
export async function checkinsOf(userId: string): Promise<StoredCheckin[]> {
  const all = stored(await (await store()).getAllFromIndex('checkins', 'person', userId))
  return all.sort((one, other) => other.point.recordedAt - one.point.recordedAt)
}

/** Keeps a check-in, new or changed, and forgets the oldest that were received. */
export async function keepCheckin(checkin: SavedCheckin): Promise<void> {
  const db = await store()
  await db.put('checkins', checkin)
  const received = (await checkinsOf(checkin.userId)).filter(({ state }) => state === 'received')
  for (const { seq } of received.slice(RECEIVED_KEPT_MAX)) await db.delete('checkins', seq)
}
