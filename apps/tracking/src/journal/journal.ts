import { join } from 'node:path'
import type { Log } from '@palanquin/service/log'
import { blankLines, dropDamaged, type IsVoid, sweepRewrites } from './blank.ts'
import { DAMAGED_FILE, findSegments, instanceOf, lockFolder, segmentPath } from './folder.ts'
import { groupCommit, type Receipt } from './group-commit.ts'
import { Segment } from './segment.ts'

/** A file of this size is closed and the next one begun: what a replay holds in memory at a time. */
const SEGMENT_BYTES_MAX = 1_048_576
/** A segment in use is closed after so long, so that what is done with can go. */
const SEGMENT_AGE_MS_MAX = 5_000
/**
 * Longer than the 60 s in which a check-in suppresses its repeats: after a crash the first and the repeat are then
 * replayed together, and the repeat is known for one.
 */
const COMPLETED_KEPT_MS = 65_000
const TIDY_EVERY_MS = 1_000
const DRAIN_LOOK_MS = 10

export type JournalOptions = {
  folder: string
  /** The disk's share; past it entries are refused. */
  bytesMax: number
  /** Whether an entry waits for the disk itself; a kill -9 is survived without, a power cut is not. */
  fsync: boolean
  now: () => number
  log: Log
  /** Called when an entry was left for a replay. */
  onLeft: () => void
}

export type Journal = Awaited<ReturnType<typeof openJournal>>

/**
 * The disk journal behind a 202: what it took survives a kill -9, and is replayed until Redis has taken it.
 * Memory does not grow with what waits; the disk does, up to `bytesMax`.
 */
export async function openJournal({ folder, bytesMax, fsync, now, log, onLeft }: JournalOptions) {
  const lock = await lockFolder(folder)
  const instance = instanceOf(folder)
  sweepRewrites(folder)
  const found = findSegments(folder)
  const segments = new Map<number, Segment>(found.map((one) => [one.sequence, Segment.found(one)]))
  let sequence = found.at(-1)?.sequence ?? 0
  let current: Segment | null = null
  let refusing = false

  const bytes = () => {
    let sum = 0
    for (const segment of segments.values()) sum += segment.bytes
    return sum
  }

  const tidy = (keptMs: number) => {
    if (current && current.entries > 0 && now() - current.openedAt > SEGMENT_AGE_MS_MAX) seal()
    for (const segment of segments.values())
      if (segment.complete && (segment.entries === 0 || now() - (segment.completedAt ?? now()) >= keptMs)) {
        segments.delete(segment.sequence)
        segment.remove()
      }
  }

  const seal = () => {
    current?.seal()
    current = null
  }

  const writable = (adding: number): Segment => {
    if (current && (current.sealed || current.bytes >= SEGMENT_BYTES_MAX)) seal()
    if (bytes() + adding > bytesMax) tidy(0)
    if (bytes() + adding > bytesMax) throw new Error(`the journal holds its ${bytesMax} bytes`)
    if (!current) {
      sequence++
      current = Segment.create({ sequence, path: segmentPath(folder, sequence), now: now() })
      segments.set(sequence, current)
    }
    return current
  }

  const group = groupCommit(async (lines, count) => {
    try {
      const segment = writable(lines.length)
      segment.append(lines, count)
      if (fsync) await segment.sync()
      if (refusing) log.info('the journal takes check-ins again')
      refusing = false
      return segment
    } catch (error) {
      if (!refusing) log.error({ err: error }, 'the journal cannot write: check-ins are refused')
      refusing = true
      return null
    }
  })
  const timer = setInterval(() => tidy(COMPLETED_KEPT_MS), TIDY_EVERY_MS)

  return {
    /** Resolves once the entry is on disk; null when the disk, or our share of it, is full. */
    append: group.append,
    /** Redis has it. */
    taken: ({ segment, index }: Receipt) => segment.take(index, now()),
    /** Redis did not take it: it is read back from disk until it does. */
    left: ({ segment, index }: Receipt) => {
      if (segment.isTaken(index)) return
      segment.wantsReplay = true
      onLeft()
    },
    /** Whether any segment wants a replay. */
    isBehind: (): boolean => {
      for (const segment of segments.values()) if (segment.wantsReplay) return true
      return false
    },
    /** The segments that want a replay, oldest first, closed so that they can be read. */
    backlog: (): Segment[] => {
      if (current?.wantsReplay) seal()
      return [...segments.values()]
        .filter((segment) => segment.wantsReplay)
        .sort((a, b) => a.sequence - b.sequence)
    },
    /** What stands on disk now; `oldestAt` (epoch ms) is null when nothing waits. */
    stats: () => {
      let waiting = 0
      let oldestAt: number | null = null
      for (const segment of segments.values()) {
        waiting += segment.waiting
        if (segment.waiting > 0) oldestAt = Math.min(oldestAt ?? segment.openedAt, segment.openedAt)
      }
      return { bytes: bytes(), segments: segments.size, waiting, oldestAt }
    },
    /** Resolves true once Redis has everything that stood in the journal at the call; false when time ran out. */
    drained: async (deadlineMs: number): Promise<boolean> => {
      await group.settled()
      const marks = [...segments.values()].map((segment) => ({ segment, count: segment.entries }))
      const deadline = performance.now() + deadlineMs
      for (const { segment, count } of marks)
        while (!segment.complete && !segment.hasTaken(count)) {
          if (performance.now() > deadline) return false
          await Bun.sleep(DRAIN_LOOK_MS)
        }
      return true
    },
    /**
     * Blanks the lines that are void, on disk; Redis need not take them any more. Gives way between files.
     * Resolves with how many. Throws what the file system says.
     */
    blank: async (isVoid: IsVoid): Promise<number> => {
      await group.settled()
      seal()
      let lines = 0
      for (const segment of [...segments.values()]) {
        if (!segments.has(segment.sequence)) continue
        const blanked = blankLines(segment.path, isVoid)
        if (blanked) segment.blanked({ ...blanked, now: now() })
        lines += blanked?.indexes.length ?? 0
        await new Promise<void>((turn) => setImmediate(turn))
      }
      dropDamaged(join(folder, DAMAGED_FILE), isVoid)
      return lines
    },
    folder,
    /** Names this instance of the service, over its restarts. */
    instance,
    close: async () => {
      clearInterval(timer)
      await group.settled()
      seal()
      tidy(0)
      lock.release()
    },
  }
}
