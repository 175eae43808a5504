import { withStore } from '../store.ts'
import type { SavedCheckin, StoredCheckin } from './checkin.ts'

/** Received ones are kept as a list for the eye; the service has them all. */
const RECEIVED_KEPT_MAX = 30

/** Those that the database did not take: they last as long as this page. */
const unkept = new Map<number, StoredCheckin>()

const numbered = (all: readonly SavedCheckin[]): StoredCheckin[] =>
  all.flatMap((checkin) => (checkin.seq === undefined ? [] : { ...checkin, seq: checkin.seq }))

/** The check-ins of a person on this phone, the latest first. */
export async function checkinsOf(userId: string): Promise<StoredCheckin[]> {
  const stored = numbered(await storedOf(userId))
  const own = [...unkept.values()].filter((checkin) => checkin.userId === userId)
  const all = new Map([...stored, ...own].map((checkin) => [checkin.seq, checkin]))
  return [...all.values()].sort((one, other) => other.point.recordedAt - one.point.recordedAt)
}

async function storedOf(userId: string): Promise<SavedCheckin[]> {
  try {
    return await withStore((kept) => kept.getAllFromIndex('checkins', 'person', userId))
  } catch (error) {
    console.warn('Check-ins cannot be read on this phone', error)
    return []
  }
}

/** Keeps a check-in, new or changed, and forgets the oldest that were received. */
export async function keepCheckin(checkin: SavedCheckin): Promise<void> {
  try {
    await withStore((kept) => kept.put('checkins', checkin))
    if (checkin.seq !== undefined) unkept.delete(checkin.seq)
  } catch (error) {
    console.warn('A check-in cannot be kept on this phone', error)
    // No number of the database is negative.
    const seq = checkin.seq ?? -checkin.point.recordedAt
    unkept.set(seq, { ...checkin, seq })
  }
  await forgetOldest(checkin.userId).catch((error: unknown) => console.warn('A list stays long', error))
}

async function forgetOldest(userId: string): Promise<void> {
  const received = (await checkinsOf(userId)).filter(({ state }) => state === 'received')
  for (const { seq } of received.slice(RECEIVED_KEPT_MAX)) {
    unkept.delete(seq)
    await withStore((kept) => kept.delete('checkins', seq))
  }
}
