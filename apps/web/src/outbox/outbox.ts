import { withStore } from '../store.ts'
import { checkinsOf } from './checkins.ts'
import type { OutboxEntry, StoredEntry, TrackPoint } from './entry.ts'

/** Web face, section 6: 20 MB of points of some 200 bytes. */
export const OUTBOX_POINTS_MAX = 100_000
const SPACING_MS = 30_000

/** Which points a full outbox gives up: of the oldest half those less than 30 s after the one before. */
export function thinned(entries: readonly StoredEntry[]): number[] {
  let lastMs = Number.NEGATIVE_INFINITY
  const given: number[] = []
  for (const { seq, point } of entries.slice(0, Math.floor(entries.length / 2))) {
    if (point.recordedAt - lastMs < SPACING_MS) given.push(seq)
    else lastMs = point.recordedAt
  }
  return given
}

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
const numbered = (entries: readonly OutboxEntry[]): StoredEntry[] =>
  entries.flatMap((entry) => (entry.seq === undefined ? [] : { ...entry, seq: entry.seq }))

/** The outbox of a person, in IndexedDB; what that does not take lasts as long as the page. */
export function outboxOf(userId: string): Outbox {
  /** No number of the database is negative. */
  const unkept = new Map<number, StoredEntry>()
  const waiting = (): [string, string] => [userId, 'waiting']
  const orNothing =
    <T>(nothing: T) =>
    (error: unknown): T => {
      console.warn('The outbox cannot be read on this phone', error)
      return nothing
    }
  return {
    add: async (point) => {
      const entry: OutboxEntry = { userId, point, state: 'waiting' }
      try {
        const count = await withStore(async (kept) => {
          await kept.add('outbox', entry)
          return kept.countFromIndex('outbox', 'person', waiting())
        })
        if (count > OUTBOX_POINTS_MAX) await thin(userId)
      } catch (error) {
        console.warn('A point cannot be kept on this phone', error)
        unkept.set(-point.recordedAt, { ...entry, seq: -point.recordedAt })
      }
    },
    oldest: async (count) => {
      const stored = await withStore((kept) =>
        kept.getAllFromIndex('outbox', 'person', waiting(), count),
      ).catch(orNothing([]))
      return [...numbered(stored), ...unkept.values()].slice(0, count)
    },
    settle: async ({ delivered, refused }) => {
      for (const { seq } of [...delivered, ...refused]) unkept.delete(seq)
      const marked = refused.filter(({ seq }) => seq >= 0)
      const gone = delivered.filter(({ seq }) => seq >= 0)
      if (marked.length + gone.length === 0) return
      await withStore(async (kept) => {
        const change = kept.transaction('outbox', 'readwrite')
        await Promise.all([
          ...gone.map(({ seq }) => change.store.delete(seq)),
          ...marked.map((entry) => change.store.put({ ...entry, state: 'refused' })),
          change.done,
        ])
      })
    },
    count: async () => {
      const [open, refused] = await withStore((kept) => {
        const read = kept.transaction('outbox').store.index('person')
        return Promise.all([read.count(waiting()), read.count([userId, 'refused'])])
      }).catch(orNothing([0, 0]))
      return { waiting: open + unkept.size, refused }
    },
  }
}

const thin = (userId: string): Promise<void> =>
  withStore(async (kept) => {
    const change = kept.transaction('outbox', 'readwrite')
    const entries = numbered(await change.store.index('person').getAll([userId, 'waiting']))
    await Promise.all([...thinned(entries).map((seq) => change.store.delete(seq)), change.done])
  })

/** How many points and check-ins of a person this phone has not sent yet. */
export async function countWaiting(userId: string): Promise<number> {
  const checkins = await checkinsOf(userId)
  const { waiting } = await outboxOf(userId).count()
  return waiting + checkins.filter(({ state }) => state === 'waiting').length
}
