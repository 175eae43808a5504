import { compareEntryIds } from '../buffer/entry-id.ts'
import type { HighWater, Segment } from './segment.ts'

/**
 * Longer than the 60 s in which a check-in suppresses its repeats: a replay then has the first together with its repeat,
 * which is recognised.
 */
const REPEAT_WINDOW_MS = 65_000

/**
 * Redis (`appendfsync everysec`) writes its file at the latest 2 s after it has answered, syncs it within a second of that,
 * and takes nothing more when either fails. So what it had so long before it took another write is on its disk.
 */
const PERSISTED_AFTER_MS = 5_000

/**
 * The segments of a journal. One that Redis has stays until PostgreSQL has it too, to be replayed should Redis come back
 * empty; it is removed sooner only when the disk is full.
 */
export function createSegments(now: () => number) {
  const segments = new Map<number, Segment>()
  /** Summed when a segment is added, removed or rewritten, not at every write. */
  let closedBytes = 0
  let open: Segment | null = null

  const bytes = (): number => closedBytes + (open?.bytes ?? 0)

  const recount = () => {
    closedBytes = 0
    for (const segment of segments.values()) if (segment !== open) closedBytes += segment.bytes
  }
  const remove = (segment: Segment) => {
    segments.delete(segment.sequence)
    segment.remove()
  }
  const openedFirst = (wanted: (segment: Segment) => boolean): number => {
    let first = Number.POSITIVE_INFINITY
    for (const segment of segments.values()) if (wanted(segment)) first = Math.min(first, segment.openedAt)
    return first
  }

  return {
    /** Oldest first. */
    all: (): Segment[] => [...segments.values()],
    has: ({ sequence }: Segment): boolean => segments.has(sequence),
    add: (segment: Segment): void => {
      segments.set(segment.sequence, segment)
      if (!segment.sealed) open = segment
      recount()
    },
    /** Seals the open one. */
    seal: (): void => {
      open?.seal()
      open = null
      recount()
    },
    open: (): Segment | null => open,
    bytes,
    /** `oldestAt` (epoch ms) is null when nothing waits for Redis; `unflushed` entries may not be in PostgreSQL yet. */
    stats: () => {
      let waiting = 0
      let unflushed = 0
      let oldestAt: number | null = null
      for (const segment of segments.values()) {
        waiting += segment.waiting
        if (!segment.flushed) unflushed += segment.entries
        if (segment.waiting > 0) oldestAt = Math.min(oldestAt ?? segment.openedAt, segment.openedAt)
      }
      return { bytes: bytes(), segments: segments.size, waiting, unflushed, oldestAt }
    },
    recount,
    /** Removes what PostgreSQL has, and the minute before what it does not have. */
    tidy: (): void => {
      const neededFrom = openedFirst(({ flushed }) => !flushed) - REPEAT_WINDOW_MS
      for (const segment of segments.values()) {
        if (!segment.complete) continue
        const completedAt = segment.completedAt ?? now()
        const isDone = segment.flushed && now() - completedAt >= REPEAT_WINDOW_MS && completedAt <= neededFrom
        if (segment.entries === 0 || isDone) remove(segment)
      }
      recount()
    },
    /** Removes the oldest segments that Redis has, until so many bytes are free. */
    freeSpace: (bytes: number): void => {
      for (const segment of segments.values()) {
        if (bytes <= 0) break
        if (!segment.complete) continue
        bytes -= segment.bytes
        remove(segment)
      }
      recount()
    },
    /** Complete segments for which the ends of the streams were not noted yet. */
    withoutHighWater: (): Segment[] =>
      [...segments.values()].filter(({ complete, highWater }) => complete && !highWater),
    /** Redis took a write at that time (epoch ms). */
    markPersisted: (at: number): void => {
      for (const segment of segments.values())
        if (segment.complete && (segment.completedAt ?? at) <= at - PERSISTED_AFTER_MS)
          segment.persisted = true
    },
    /** The oldest entry that each stream holds now (null: none): everything before it is in PostgreSQL. */
    markFlushed: (oldest: HighWater): void => {
      for (const segment of segments.values())
        if (segment.complete && segment.highWater) segment.flushed ||= isBefore(segment.highWater, oldest)
    },
    /** Whether PostgreSQL may lack any complete segment. */
    hasUnflushed: (): boolean => segments.values().some(({ complete, flushed }) => complete && !flushed),
    /** Redis has lost them, or those that were not on its disk: they are to be replayed. */
    requeue: (lost: 'all' | 'unpersisted'): void => {
      for (const segment of segments.values()) if (lost === 'all' || !segment.persisted) segment.requeue()
    },
  }
}

export type Segments = ReturnType<typeof createSegments>

const isBefore = (highWater: HighWater, oldest: HighWater): boolean =>
  highWater.every((newest, shard) => {
    const first = oldest[shard] ?? null
    return newest === null || first === null || compareEntryIds(newest, first) < 0
  })
