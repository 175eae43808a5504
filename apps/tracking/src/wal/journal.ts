import { join } from 'node:path'
import { syncFolder } from '@palanquin/files/durable'
import type { Log } from '@palanquin/service/log'
import { blankLines, dropDamaged, type IsVoid } from './blank.ts'
import { DAMAGED_FILE, findSegments, instanceOf, leaveEpoch, segmentPath, takeEpoch } from './folder.ts'
import { lockFolder } from './folder-lock.ts'
import { groupCommit, type Receipt } from './group-commit.ts'
import { Segment } from './segment.ts'
import { createSegments } from './segments.ts'

/** A file of this size is closed and the next one begun: what a replay holds in memory at a time. */
const SEGMENT_BYTES_MAX = 1_048_576
/** A segment in use is closed after so long, so that what is done with can go. */
const SEGMENT_AGE_MS_MAX = 5_000
const TIDY_EVERY_MS = 1_000
const DRAIN_LOOK_MS = 10

export type JournalOptions = {
  folder: string
  /** The disk's share; past it entries are refused. */
  bytesMax: number
  /** Whether an entry waits for the disk itself; a kill -9 is survived without, a power cut is not (docs/adr/0003). */
  fsync: boolean
  now: () => number
  log: Log
  /** Called when an entry was left for a replay. */
  onReplayWanted: () => void
}

export type Journal = Awaited<ReturnType<typeof openJournal>>

/**
 * The disk journal behind a 202: what it took survives a kill -9, and is replayed until Redis has taken it.
 * Memory does not grow with what waits; the disk does, up to `bytesMax`.
 */
export async function openJournal({ folder, bytesMax, fsync, now, log, onReplayWanted }: JournalOptions) {
  const lock = await lockFolder(folder)
  const instance = instanceOf(folder, log)
  const segments = createSegments(now)
  const epoch = takeEpoch(folder)
  let sequence = 0
  for (const found of findSegments(folder)) {
    segments.add(found.isKept && epoch !== null ? Segment.kept(found) : Segment.found(found))
    sequence = found.sequence
  }
  let current: Segment | null = null
  let refusing = false

  const tidy = () => {
    if (current && current.entries > 0 && now() - current.openedAt > SEGMENT_AGE_MS_MAX) seal()
    segments.tidy()
  }

  const seal = () => {
    segments.seal()
    current = null
  }

  const writable = (adding: number): Segment => {
    if (current && (current.sealed || current.bytes >= SEGMENT_BYTES_MAX)) seal()
    if (segments.bytes() + adding > bytesMax) makeRoom(segments.bytes() + adding - bytesMax)
    if (segments.bytes() + adding > bytesMax) throw new Error(`the journal holds its ${bytesMax} bytes`)
    if (!current) {
      sequence++
      current = Segment.create({ sequence, path: segmentPath(folder, sequence), now: now() })
      segments.add(current)
    }
    return current
  }

  /** What is held against a loss of Redis yields to what stands nowhere else. */
  const makeRoom = (bytes: number) => {
    if (current?.waiting === 0) seal()
    segments.makeRoom(bytes)
  }

  const write = (lines: string, count: number): Segment => {
    const segment = writable(lines.length)
    segment.append(lines, count)
    return segment
  }

  const writeOrMakeRoom = (lines: string, count: number): Segment => {
    try {
      return write(lines, count)
    } catch (error) {
      // The disk may be full before our share of it is.
      const before = segments.bytes()
      makeRoom(SEGMENT_BYTES_MAX)
      if (segments.bytes() === before) throw error
      return write(lines, count)
    }
  }

  /** One sync for all that was written in this turn of the event loop, and for what came while the sync before ran. */
  const syncOrWithdraw = async (segment: Segment, written: { bytes: number; count: number }) => {
    try {
      await segment.sync()
    } catch (error) {
      if (segment === current) seal()
      segment.withdraw(written)
      segments.recount()
      throw error
    }
  }

  const group = groupCommit(async (lines, count) => {
    try {
      const segment = writeOrMakeRoom(lines, count)
      if (fsync) await syncOrWithdraw(segment, { bytes: Buffer.byteLength(lines), count })
      if (refusing) log.info({ event: 'journal.takes_again' }, 'the journal takes check-ins again')
      refusing = false
      return segment
    } catch (error) {
      if (!refusing)
        log.error({ event: 'journal.refuses', err: error }, 'the journal cannot write: check-ins are refused')
      refusing = true
      return null
    }
  })
  const timer = setInterval(tidy, TIDY_EVERY_MS)

  return {
    /** Resolves once the entry is on disk; null when the disk, or our share of it, is full. */
    append: group.append,
    /** Redis has it. */
    taken: ({ segment, index }: Receipt) => segment.take(index, now()),
    /** Redis did not take it: it is read back from disk until it does. */
    replayLater: ({ segment, index }: Receipt) => {
      if (segment.isTaken(index)) return
      segment.wantsReplay = true
      onReplayWanted()
    },
    /** Whether any segment wants a replay. */
    isPending: (): boolean => segments.all().some((segment) => segment.wantsReplay),
    /** The segments that want a replay, oldest first, closed so that they can be read. */
    backlog: (): Segment[] => {
      if (current?.wantsReplay) seal()
      return segments.all().filter((segment) => segment.wantsReplay)
    },
    /** What stands on disk now; `oldestAt` (epoch ms) is null when nothing waits. */
    stats: segments.stats,
    /** Resolves true once Redis has everything that stood in the journal at the call; false when time ran out. */
    drained: async (deadlineMs: number): Promise<boolean> => {
      await group.settled()
      const marks = segments.all().map((segment) => ({ segment, count: segment.entries }))
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
      for (const segment of segments.all()) {
        if (!segments.has(segment)) continue
        const blanked = blankLines(segment.path, isVoid)
        if (blanked) segment.blanked({ ...blanked, now: now() })
        lines += blanked?.indexes.length ?? 0
        await new Promise<void>((turn) => setImmediate(turn))
      }
      segments.recount()
      dropDamaged(join(folder, DAMAGED_FILE), isVoid)
      return lines
    },
    /** What Redis has is held until PostgreSQL has it too. */
    withoutHighWater: segments.withoutHighWater,
    markFlushed: segments.markFlushed,
    hasUnflushed: segments.hasUnflushed,
    markPersisted: segments.markPersisted,
    /** Redis has come back without what it had taken, or perhaps without the last of it: to be replayed. Resolves with how many. */
    requeue: async (lost: 'all' | 'unsettled' = 'all'): Promise<number> => {
      await group.settled()
      seal()
      segments.requeue(lost)
      onReplayWanted()
      return segments.all().reduce((entries, segment) => entries + segment.waiting, 0)
    },
    folder,
    /** Names this instance of the service, over its restarts. */
    instance,
    /** By which Redis the kept segments were taken, where the process before left word of it. */
    epoch,
    /** `lives`: by which Redis what is held was taken, where that is known; it need not be replayed then. */
    close: async (epoch: string | null = null): Promise<void> => {
      clearInterval(timer)
      await group.settled()
      seal()
      segments.tidy()
      if (epoch !== null) {
        // What Redis may not have on its disk yet is replayed by the next process: a power cut may come first.
        for (const segment of segments.all())
          if (segment.complete && segment.settled) segment.keep(segmentPath(folder, segment.sequence, 'kept'))
        leaveEpoch(folder, epoch)
        syncFolder(folder)
      }
      lock.release()
    },
  }
}
