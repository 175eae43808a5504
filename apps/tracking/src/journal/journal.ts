import { join } from 'node:path'
import { syncFolder } from '@palanquin/files/durable'
import type { Log } from '@palanquin/service/log'
import { blankLines, dropDamaged, type IsVoid } from './blank.ts'
import { DAMAGED_FILE, findSegments, instanceOf, leaveEpoch, segmentPath, takeEpoch } from './folder.ts'
import { lockFolder } from './folder-lock.ts'
import type { Receipt } from './group-commit.ts'
import { Segment } from './segment.ts'
import { segmentWriter } from './segment-writer.ts'
import { createSegments } from './segments.ts'

const TIDY_EVERY_MS = 1_000
const DRAIN_POLL_MS = 10

export type JournalOptions = {
  folder: string
  /** The disk's share; past it entries are refused. */
  bytesMax: number
  /** Whether an entry waits for the disk itself. */
  fsync: boolean
  now: () => number
  log: Log
  /** Called when an entry is to be replayed. */
  onReplayWanted: () => void
}

export type Journal = Awaited<ReturnType<typeof openJournal>>

/**
 * The write-ahead log behind a 202: what it took survives a kill -9, and is replayed until Redis has taken it.
 * Memory does not grow with what waits; the disk does, up to `bytesMax`.
 */
export async function openJournal({ folder, now, log, onReplayWanted, ...limits }: JournalOptions) {
  const lock = await lockFolder(folder)
  const instance = instanceOf(folder, log)
  const segments = createSegments(now)
  const epoch = takeEpoch(folder)
  const found = findSegments(folder)
  for (const file of found)
    segments.add(file.isKept && epoch !== null ? Segment.kept(file) : Segment.found(file))
  const lastSequence = found.at(-1)?.sequence ?? 0
  const writer = segmentWriter({ folder, segments, lastSequence, now, log, ...limits })
  const timer = setInterval(() => {
    writer.sealIfOld()
    segments.tidy()
  }, TIDY_EVERY_MS)

  return {
    append: writer.append,
    appendAll: writer.appendAll,
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
    /** The segments that want a replay, oldest first, sealed so that they can be read. */
    backlog: (): Segment[] => {
      if (segments.open()?.wantsReplay) writer.seal()
      return segments.all().filter((segment) => segment.wantsReplay)
    },
    stats: segments.stats,
    /** Resolves true once Redis has everything that was in the journal at the call; false when time ran out. */
    drained: async (deadlineMs: number): Promise<boolean> => {
      await writer.settled()
      const wanted = segments.all().map((segment) => ({ segment, count: segment.entries }))
      const deadline = performance.now() + deadlineMs
      for (const { segment, count } of wanted)
        while (!segment.complete && !segment.hasTaken(count)) {
          if (performance.now() > deadline) return false
          await Bun.sleep(DRAIN_POLL_MS)
        }
      return true
    },
    /**
     * Blanks the lines that are void, on disk; Redis need not take them any more. Yields between files.
     * Resolves with how many. Throws what the file system says.
     */
    blank: async (isVoid: IsVoid): Promise<number> => {
      await writer.settled()
      writer.seal()
      let lines = 0
      for (const segment of segments.all()) {
        if (!segments.has(segment)) continue
        const blanked = blankLines(segment.path, isVoid)
        if (blanked) segment.blanked({ ...blanked, now: now() })
        lines += blanked?.indexes.length ?? 0
        await new Promise<void>((tick) => setImmediate(tick))
      }
      segments.recount()
      dropDamaged(join(folder, DAMAGED_FILE), isVoid)
      return lines
    },
    withoutHighWater: segments.withoutHighWater,
    markFlushed: segments.markFlushed,
    hasUnflushed: segments.hasUnflushed,
    markPersisted: segments.markPersisted,
    /** Redis has lost what it had taken, or perhaps the last of it: to be replayed. Resolves with how many. */
    requeue: async (lost: 'all' | 'unpersisted' = 'all'): Promise<number> => {
      await writer.settled()
      writer.seal()
      segments.requeue(lost)
      onReplayWanted()
      return segments.all().reduce((entries, segment) => entries + segment.waiting, 0)
    },
    folder,
    /** The name of this instance of the service, the same after every restart. */
    instance,
    /** The epoch in which Redis took the kept segments, where the process before noted it. */
    epoch,
    /** `epoch`: in which Redis took what is kept, where that is known; it need not be replayed then. */
    close: async (epoch: string | null = null): Promise<void> => {
      clearInterval(timer)
      await writer.settled()
      writer.seal()
      segments.tidy()
      if (epoch !== null) {
        // What Redis may not have on its disk yet is replayed by the next process: a power cut may come first.
        for (const segment of segments.all())
          if (segment.complete && segment.persisted)
            segment.keep(segmentPath(folder, segment.sequence, 'kept'))
        leaveEpoch(folder, epoch)
        syncFolder(folder)
      }
      lock.release()
    },
  }
}
