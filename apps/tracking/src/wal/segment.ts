import {
  closeSync,
  fdatasync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncFolderSoon } from '@palanquin/files/durable'
import { Flags } from './flags.ts'
import type { FoundSegment } from './folder.ts'
import { decodeLines, type Line } from './line.ts'

const sync = promisify(fdatasync)
/** An entry is about so long; only the gauge of a segment that nobody has read yet depends on it. */
const ENTRY_BYTES_GUESSED = 250

/** The newest entry of each shard's stream (null: none) when Redis had all of a segment. */
export type HighWater = readonly (string | null)[]

/**
 * One append-only file of the journal, and which of its entries Redis has taken. The flags live in memory: after a
 * crash everything is replayed, and the keys of the points make it count once.
 */
export class Segment {
  bytes = 0
  /** Entries in the file; a guess until a file of an earlier process was read. */
  entries = 0
  /** How many of them Redis has taken. */
  taken = 0
  /** Whether its entries have to be read from disk again, because Redis did not take one. */
  wantsReplay = false
  /** When the last of its entries was taken; it is kept some time after. */
  completedAt: number | null = null
  /** Where the streams stood when Redis had all of it. */
  highWater: HighWater | null = null
  /** Whether PostgreSQL has all of it. */
  flushed = false
  /** Whether Redis has all of it in its file, and that on the disk: its restart brings it back, also after a power cut. */
  settled = false
  private flags = new Flags()
  private file: number | null = null
  /** Closed while the disk still worked on it; let go of when that is done. */
  private closing: number | null = null
  private syncing = false
  /** Whether the disk knows the file by its name. */
  private named = false
  private read = true
  private wasKept = false

  private constructor(
    readonly sequence: number,
    public path: string,
    readonly openedAt: number,
  ) {}

  /** Makes the file. Throws what the file system says. */
  static create({ sequence, path, now }: { sequence: number; path: string; now: number }): Segment {
    const segment = new Segment(sequence, path, now)
    segment.file = openSync(path, 'ax', 0o600)
    return segment
  }

  /** A file that an earlier process left: all of it is to be replayed. */
  static found({ sequence, path, bytes, modifiedAt }: FoundSegment): Segment {
    const segment = new Segment(sequence, path, modifiedAt)
    segment.bytes = bytes
    segment.entries = Math.ceil(bytes / ENTRY_BYTES_GUESSED)
    segment.wantsReplay = true
    segment.read = false
    return segment
  }

  /** A file that an earlier process left, of which Redis had everything. */
  static kept(found: FoundSegment): Segment {
    const segment = Segment.found(found)
    segment.wantsReplay = false
    segment.wasKept = true
    segment.settled = true
    segment.taken = segment.entries
    segment.completedAt = found.modifiedAt
    return segment
  }

  get sealed(): boolean {
    return this.file === null
  }

  get waiting(): number {
    return this.entries - this.taken
  }

  get complete(): boolean {
    return this.sealed && (this.read || this.wasKept) && this.waiting === 0
  }

  /**
   * Appends whole lines with one write. When the disk refuses, what it took of them is cut off again, so that no
   * entry stands in the file that was refused to its sender. Throws what the file system says.
   */
  append(lines: string, count: number): void {
    if (this.file === null) throw new Error('a sealed segment takes no entries')
    const bytes = Buffer.from(lines)
    try {
      let written = 0
      while (written < bytes.length) written += writeSync(this.file, bytes, written)
    } catch (error) {
      this.cutBack()
      throw error
    }
    this.bytes += bytes.length
    this.entries += count
  }

  /** Waits until the disk itself has what was appended. */
  async sync(): Promise<void> {
    if (this.file === null) return
    this.syncing = true
    try {
      await sync(this.file)
      if (!this.named) await syncFolderSoon(dirname(this.path))
      this.named = true
    } finally {
      this.syncing = false
      if (this.closing !== null) closeSync(this.closing)
      this.closing = null
    }
  }

  /**
   * Takes back the last lines, which the disk did not take for good: their senders are refused. Nothing may follow them,
   * because the kernel tells of a failed sync once only.
   */
  withdraw({ bytes, count }: { bytes: number; count: number }): void {
    this.seal()
    this.bytes -= bytes
    this.entries -= count
    try {
      truncateSync(this.path, this.bytes)
    } catch {
      // On a disk that is gone they may stand there at the next start, and be stored: a refusal promises nothing.
    }
  }

  seal(): void {
    if (this.file === null) return
    if (this.syncing) this.closing = this.file
    else closeSync(this.file)
    this.file = null
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

  /** Whether Redis has the first `count` entries; of a file that nobody has read yet it is not known. */
  hasTaken(count: number): boolean {
    if (!this.read) return false
    for (let index = 0; index < count; index++) if (!this.isTaken(index)) return false
    return true
  }

  /** Reads the entries back; the index of a line is that of its receipt. */
  async lines(now: number): Promise<{ lines: Line[]; torn: string }> {
    const { lines, torn } = decodeLines(await readFile(this.path, 'utf8'))
    if (this.read) return { lines: lines.slice(0, this.entries), torn: '' }
    this.read = true
    this.entries = lines.length
    if (this.entries === 0) {
      this.wantsReplay = false
      this.completedAt = now
    }
    return { lines, torn }
  }

  /** The file was rewritten with these lines blank. One that nobody has read yet finds them so when it is replayed. */
  blanked({ indexes, bytes, now }: { indexes: readonly number[]; bytes: number; now: number }): void {
    this.bytes = bytes
    if (this.read) for (const index of indexes) this.take(index, now)
  }

  /** Redis has lost its entries: all of them are to be taken once more. */
  requeue(): void {
    this.flags = new Flags()
    this.wasKept = false
    this.taken = 0
    this.completedAt = null
    this.highWater = null
    this.flushed = false
    this.settled = false
    this.wantsReplay = this.entries > 0
  }

  /** Tells the next process by the file's name that Redis had all of it. */
  keep(path: string): void {
    renameSync(this.path, path)
    this.path = path
  }

  /** Takes the file away; one that is gone already (somebody cleared the folder) is no fault. */
  remove(): void {
    this.seal()
    rmSync(this.path, { force: true })
  }

  private cutBack(): void {
    if (this.file === null) return
    try {
      ftruncateSync(this.file, this.bytes)
    } catch {
      // Its end is torn now, which is how a crash leaves a segment: reading drops that end. Nothing may follow it.
      this.seal()
    }
  }
}
