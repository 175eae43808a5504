import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { previousLog } from '@palanquin/stack/lifecycle/log-rotation'

/** Only the end of a huge log is read at first. */
const TAIL_BYTES_MAX = 8 * 1024 * 1024

/** A log to read from its end on, across its rotations. */
export class LogFile {
  readonly #file: string
  readonly #decoder = new TextDecoder()
  #seen = 0
  /** When the previous log was made: another time says that the log was rotated. */
  #rotatedMs = 0
  #rest = ''

  constructor(file: string) {
    this.#file = file
  }

  /** The last whole lines; `next` begins behind them. */
  last(count: number): string[] {
    this.#rotatedMs = rotatedMsOf(this.#file)
    this.#seen = sizeOf(this.#file)
    const previous = previousLog(this.#file)
    const before = sizeOf(previous)
    const text = [
      readBytes(previous, before - TAIL_BYTES_MAX, before),
      readBytes(this.#file, this.#seen - TAIL_BYTES_MAX, this.#seen),
    ]
    const lines = this.#linesOf(Buffer.concat(text))
    return count === 0 ? [] : lines.slice(-count)
  }

  /** The lines since the last call. */
  next(): string[] {
    const rotatedMs = rotatedMsOf(this.#file)
    const chunks: Buffer[] = []
    if (rotatedMs !== this.#rotatedMs) {
      const previous = previousLog(this.#file)
      chunks.push(readBytes(previous, this.#seen, sizeOf(previous)))
      this.#rotatedMs = rotatedMs
      this.#seen = 0
    }
    const fresh = readBytes(this.#file, this.#seen, sizeOf(this.#file))
    this.#seen += fresh.length
    return this.#linesOf(Buffer.concat([...chunks, fresh]))
  }

  #linesOf(bytes: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
const rotatedMsOf = (file: string): number =>
  statSync(previousLog(file), { throwIfNoEntry: false })?.mtimeMs ?? 0

function readBytes(file: string, from: number, to: number): Buffer {
  const start = Math.max(0, from)
  if (to <= start) return Buffer.alloc(0)
  const bytes = Buffer.alloc(to - start)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
  } finally {
    closeSync(descriptor)
  }
}
