import { Flags } from './flags.ts'
import type { FoundSegment } from './folder.ts'
import { decodeLines, type Line } from './line.ts'
import { SegmentFile } from './segment-file.ts'

/** An entry is about so long; only the gauge of a segment that was not read yet depends on it. */
const ENTRY_BYTES_GUESSED = 250

/** The newest entry of each shard's stream (null: none) when Redis had all of a segment. */
export type HighWater = readonly (string | null)[]

/**
 * A file of the journal, and which of its entries Redis has taken. The flags live in memory: after a crash everything
 * is replayed, and the keys of the points make it count once.
 */
export class Segment {
  /** Entries in the file; a guess until a file of an earlier process was read. */
  entries = 0
  /** How many of them Redis has taken. */
  taken = 0
  /** Whether its entries are to be read from disk again, because Redis did not take one. */
  wantsReplay = false
  /** When the last of its entries was taken. */
  completedAt: number | null = null
  /** The ends of the streams when Redis had all of it. */
  highWater: HighWater | null = null
  /** Whether PostgreSQL has all of it. */
  flushed = false
  /** Whether all of it is in the file of Redis, on the disk: a restart of Redis, also after a power cut, restores it. */
  persisted = false
  private flags = new Flags()
  private wasRead = true
  private wasKept = false

  private constructor(
    readonly sequence: number,
    private readonly file: SegmentFile,
    readonly openedAt: number,
  ) {}

  /** Makes the file. Throws what the file system says. */
  static create({ sequence, path, now }: { sequence: number; path: string; now: number }): Segment {
    return new Segment(sequence, SegmentFile.create(path), now)
  }

  /** A file that an earlier process left: all of it is to be replayed. */
  static found({ sequence, path, bytes, modifiedAt }: FoundSegment): Segment {
    const segment = new Segment(sequence, SegmentFile.found(path, bytes), modifiedAt)
    segment.entries = Math.ceil(bytes / ENTRY_BYTES_GUESSED)
    segment.wantsReplay = true
    segment.wasRead = false
    return segment
  }

  /** A file that an earlier process left, of which Redis had everything. */
  static kept(found: FoundSegment): Segment {
    const segment = Segment.found(found)
    segment.wantsReplay = false
    segment.wasKept = true
    segment.persisted = true
    segment.taken = segment.entries
    segment.completedAt = found.modifiedAt
    return segment
  }

  get path(): string {
    return this.file.path
  }

  get bytes(): number {
    return this.file.bytes
  }

  get sealed(): boolean {
    return this.file.isClosed
  }

  get waiting(): number {
    return this.entries - this.taken
  }

  /** Whether Redis has all of it, and nothing more comes. */
  get complete(): boolean {
    return this.sealed && (this.wasRead || this.wasKept) && this.waiting === 0
  }

  /** Throws what the file system says; then none of the lines is in the file. */
  append(lines: string, count: number): void {
    this.file.append(lines)
    this.entries += count
  }

  /** Waits until what was appended is on the disk itself. */
  sync(): Promise<void> {
    return this.file.sync()
  }

  /** Takes back the last lines, whose sync failed. The kernel reports that once only, so nothing may follow them. */
  withdraw({ bytes, count }: { bytes: number; count: number }): void {
    this.file.withdraw(bytes)
    this.entries -= count
  }

  seal(): void {
    this.file.close()
  }

  take(index: number, now: number): void {
    if (this.isTaken(index)) return
    this.flags.set(index)
    this.taken++
    if (this.waiting === 0) {
      this.wantsReplay = false
      this.completedAt = now
    }
  }

  isTaken(index: number): boolean {
    return this.flags.has(index)
  }

  /** Whether Redis has the first `count` entries; unknown, and so false, for a file that was not read yet. */
  hasTaken(count: number): boolean {
    if (!this.wasRead) return false
    for (let index = 0; index < count; index++) if (!this.isTaken(index)) return false
    return true
  }

  /** Reads the entries back; the index of a line is that of its receipt. */
  async lines(now: number): Promise<{ lines: Line[]; torn: string }> {
    const { lines, torn } = decodeLines(await this.file.read())
    if (this.wasRead) return { lines: lines.slice(0, this.entries), torn: '' }
    this.wasRead = true
    this.entries = lines.length
    if (this.entries === 0) {
      this.wantsReplay = false
      this.completedAt = now
    }
    return { lines, torn }
  }

  /** The file was rewritten with these lines blank. One that was not read yet shows them so when it is replayed. */
  blanked({ indexes, bytes, now }: { indexes: readonly number[]; bytes: number; now: number }): void {
    this.file.bytes = bytes
    if (this.wasRead) for (const index of indexes) this.take(index, now)
  }

  /** Redis has lost its entries: all of them are to be taken once more. */
  requeue(): void {
    this.flags = new Flags()
    this.wasKept = false
    this.taken = 0
    this.completedAt = null
    this.highWater = null
    this.flushed = false
    this.persisted = false
    this.wantsReplay = this.entries > 0
  }

  /** Notes for the next process, in the file's name, that Redis had all of it. */
  keep(path: string): void {
    this.file.rename(path)
  }

  remove(): void {
    this.file.remove()
  }
}
