import type { Log } from '@palanquin/service/log'
import { segmentPath } from './folder.ts'
import { groupCommit } from './group-commit.ts'
import { Segment } from './segment.ts'
import type { Segments } from './segments.ts'

/** A file of this size is sealed and the next one begun: what a replay holds in memory at a time. */
const SEGMENT_BYTES_MAX = 1_048_576
/** A segment in use is sealed after so long, so that it can be removed once PostgreSQL has it. */
const SEGMENT_AGE_MS_MAX = 5_000

export type SegmentWriterOptions = {
  folder: string
  segments: Segments
  /** The sequence number of the last segment that an earlier process left. */
  lastSequence: number
  /** The disk's share; past it entries are refused. */
  bytesMax: number
  /** Whether an entry waits for the disk itself; a kill -9 is survived without, a power cut is not (ADR 0003). */
  fsync: boolean
  now: () => number
  log: Log
}

/** Writes the entries of each event-loop tick to the open segment, with one write and one sync. */
export function segmentWriter({
  folder,
  segments,
  lastSequence,
  bytesMax,
  fsync,
  now,
  log,
}: SegmentWriterOptions) {
  let sequence = lastSequence
  let open: Segment | null = null
  let isRefusing = false

  const seal = () => {
    segments.seal()
    open = null
  }

  /** Removes copies of what Redis has, in favour of what is stored nowhere else. */
  const freeSpace = (bytes: number) => {
    if (open?.waiting === 0) seal()
    segments.freeSpace(bytes)
  }

  const segmentFor = (adding: number): Segment => {
    if (open && (open.sealed || open.bytes >= SEGMENT_BYTES_MAX)) seal()
    if (segments.bytes() + adding > bytesMax) freeSpace(segments.bytes() + adding - bytesMax)
    if (segments.bytes() + adding > bytesMax) throw new Error(`the journal holds its ${bytesMax} bytes`)
    if (!open) {
      sequence++
      open = Segment.create({ sequence, path: segmentPath(folder, sequence), now: now() })
      segments.add(open)
    }
    return open
  }

  const write = (lines: string, count: number): Segment => {
    const segment = segmentFor(lines.length)
    segment.append(lines, count)
    return segment
  }

  const writeOrMakeRoom = (lines: string, count: number): Segment => {
    try {
      return write(lines, count)
    } catch (error) {
      // The disk may be full before the journal's share of it is.
      const before = segments.bytes()
      freeSpace(SEGMENT_BYTES_MAX)
      if (segments.bytes() === before) throw error
      return write(lines, count)
    }
  }

  /** One sync for all that was written in this tick, and for what came while the sync before ran. */
  const syncOrWithdraw = async (segment: Segment, written: { bytes: number; count: number }) => {
    try {
      await segment.sync()
    } catch (error) {
      if (segment === open) seal()
      segment.withdraw(written)
      segments.recount()
      throw error
    }
  }

  const group = groupCommit(async (lines, count) => {
    try {
      const segment = writeOrMakeRoom(lines, count)
      if (fsync) await syncOrWithdraw(segment, { bytes: Buffer.byteLength(lines), count })
      if (isRefusing) log.info({ event: 'journal.takes_again' }, 'The journal takes check-ins again')
      isRefusing = false
      return segment
    } catch (error) {
      if (!isRefusing)
        log.error({ event: 'journal.refuses', err: error }, 'The journal cannot write; check-ins are refused')
      isRefusing = true
      return null
    }
  })

  return {
    /** Resolves once the entry is on disk; null when the disk, or the journal's share of it, is full. */
    append: group.append,
    /** The same for several at once, all of them or none: the receipt of the first. */
    appendAll: group.appendAll,
    /** Resolves when nothing waits to be written. */
    settled: group.settled,
    seal,
    sealIfOld: () => {
      if (open && open.entries > 0 && now() - open.openedAt > SEGMENT_AGE_MS_MAX) seal()
    },
  }
}
