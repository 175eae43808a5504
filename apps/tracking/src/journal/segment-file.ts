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

const sync = promisify(fdatasync)

/** An append-only file of the journal. Its methods throw what the file system says. */
export class SegmentFile {
  private descriptor: number | null = null
  /** Closed while a sync of it was under way; released when that ends. */
  private closing: number | null = null
  private isSyncing = false
  /** Whether its name is on the disk. */
  private isNamed = false

  private constructor(
    public path: string,
    public bytes: number,
  ) {}

  static create(path: string): SegmentFile {
    const file = new SegmentFile(path, 0)
    file.descriptor = openSync(path, 'ax', 0o600)
    return file
  }

  /** A file that an earlier process left; it takes nothing more. */
  static found(path: string, bytes: number): SegmentFile {
    return new SegmentFile(path, bytes)
  }

  get isClosed(): boolean {
    return this.descriptor === null
  }

  /**
   * Appends whole lines with one write. When the disk refuses, what it took of them is cut off again, so that no
   * entry is in the file that was refused to its sender.
   */
  append(lines: string): void {
    if (this.descriptor === null) throw new Error('a sealed segment takes no entries')
    const bytes = Buffer.from(lines)
    try {
      let written = 0
      while (written < bytes.length) written += writeSync(this.descriptor, bytes, written)
    } catch (error) {
      this.cutBack(this.descriptor)
      throw error
    }
    this.bytes += bytes.length
  }

  /** Waits until what was appended is on the disk itself. */
  async sync(): Promise<void> {
    if (this.descriptor === null) return
    this.isSyncing = true
    try {
      await sync(this.descriptor)
      if (!this.isNamed) await syncFolderSoon(dirname(this.path))
      this.isNamed = true
    } finally {
      this.isSyncing = false
      if (this.closing !== null) closeSync(this.closing)
      this.closing = null
    }
  }

  /** Closes it and takes back its last bytes, which a sync did not bring to the disk. */
  withdraw(bytes: number): void {
    this.close()
    this.bytes -= bytes
    try {
      truncateSync(this.path, this.bytes)
    } catch {
      // On a disk that is gone they may be stored after the next start: an error promises nothing.
    }
  }

  close(): void {
    if (this.descriptor === null) return
    if (this.isSyncing) this.closing = this.descriptor
    else closeSync(this.descriptor)
    this.descriptor = null
  }

  read(): Promise<string> {
    return readFile(this.path, 'utf8')
  }

  rename(path: string): void {
    renameSync(this.path, path)
    this.path = path
  }

  /** Removes the file; one that is gone already (somebody cleared the folder) is no error. */
  remove(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  private cutBack(descriptor: number): void {
    try {
      ftruncateSync(descriptor, this.bytes)
    } catch {
      // Its end is torn as by a crash, and reading drops that end; so nothing may follow it.
      this.close()
    }
  }
}
