import { store } from '../store.ts'
import type { OutboxEntry, StoredEntry, TrackPoint } from './entry.ts'
import { OUTBOX_POINTS_MAX, thinned } from './thinning.ts'

/** The points of one person that wait on this phone. Everything is written before it is spoken of. */
export type Outbox = {
  add: (point: TrackPoint) => Promise<void>
  /** The oldest that wait, at most so many. */
  oldest: (count: number) => Promise<StoredEntry[]>
  /** Takes out what was delivered, and marks what was refused, at once. */
  settle: (outcome: { delivered: readonly StoredEntry[]; refused: readonly StoredEntry[] }) => Promise<void>
  count: () => Promise<{ waiting: number; refused: number }>
}

/** Numbered by the database, as it reads them. */
const stored = (entries: readonly OutboxEntry[]): StoredEntry[] =>
  entries.flatMap((entry) => (entry.seq === undefined ? [] : { ...entry, seq: entry.seq }))

/** The outbox of a person, in IndexedDB. */
export function outboxOf(userId: string): Outbox {
  const waiting = (): [string, string] => [userId, 'waiting']
  return {
    add: async (point) => {
      const db = await store()
      await db.add('outbox', { userId, point, state: 'waiting' })
      if ((await db.countFromIndex('outbox', 'person', waiting())) > OUTBOX_POINTS_MAX) await thin(userId)
    },
    oldest: async (count) =>
      stored(await (await store()).getAllFromIndex('outbox', 'person', waiting(), count)),
    settle: async ({ delivered, refused }) => {
      const change = (await store()).transaction('outbox', 'readwrite')
      await Promise.all([
        ...delivered.map(({ seq }) => change.store.delete(seq)),
        ...refused.map((entry) => change.store.put({ ...entry, state: 'refused' })),
        change.done,
      ])
    },
    count: async () => {
      const read = (await store()).transaction('outbox').store.index('person')
      const [open, refused] = await Promise.all([read.count(waiting()), read.count([userId, 'refused'])])
      return { waiting: open, refused }
    },
  }
}

async function thin(userId: string): Promise<void> {
  const change = (await store()).transaction('outbox', 'readwrite')
  const entries = stored(await change.store.index('person').getAll([userId, 'waiting']))
  await Promise.all([...thinned(entries).map((seq) => change.store.delete(seq)), change.done])
}
