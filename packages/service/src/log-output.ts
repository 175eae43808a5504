import { writeSync } from 'node:fs'

const STANDARD_OUTPUT = 1
/** What waits in memory for a reader that is slow: some seconds of a busy service's lines. */
const WAITING_BYTES_MAX = 1_048_576
/** How often a full pipe is tried again. */
const RETRY_MS = 50
/** At exit the reader gets so long to take what waits. */
const EXIT_MS_MAX = 1_000
const EXIT_PAUSE_MS = 10
const NEWLINE = 10

export type Output = {
  /** Takes whole lines and never waits: what does not fit is dropped and counted. */
  write: (lines: string) => void
  /** For the end of a process: waits for the reader, within a bound. */
  end: () => void
}

/** Standard output that never blocks: what is not taken waits in bounded memory, or is dropped and counted. */
export function nonBlockingOutput(
  droppedLine: (lines: number) => string,
  {
    bytesMax = WAITING_BYTES_MAX,
    send = (bytes: Uint8Array) => writeSync(STANDARD_OUTPUT, bytes),
  }: { bytesMax?: number; send?: (bytes: Uint8Array) => number } = {},
): Output {
  void process.stdout
  /** A note of a gap stands for the lines of the gap. */
  const waiting: { bytes: Buffer; gapLines: number }[] = []
  let waitingBytes = 0
  let dropped = 0
  let isTorn = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const enqueue = (text: string, gapLines = 0): boolean => {
    const bytes = Buffer.from(text)
    if (waitingBytes + bytes.length > bytesMax) return false
    waiting.push({ bytes, gapLines })
    waitingBytes += bytes.length
    return true
  }
  const drain = (): boolean => {
    for (let first = waiting[0]; first; first = waiting[0]) {
      try {
        const taken = send(first.bytes)
        waitingBytes -= taken
        isTorn = taken < first.bytes.length
        if (isTorn) first.bytes = first.bytes.subarray(taken)
        else waiting.shift()
      } catch (error) {
        if (isBusy(error)) return false
        // The disk is full, or the reader has gone: the next lines try again.
        for (const { bytes, gapLines } of waiting.splice(0)) dropped += gapLines || linesIn(bytes)
        waitingBytes = 0
      }
    }
    return true
  }
  const attempt = () => {
    clearTimeout(timer)
    timer = undefined
    if (!drain()) timer = setTimeout(attempt, RETRY_MS).unref()
  }
  const noteGap = (): boolean => {
    if (dropped === 0) return true
    const isNoted = enqueue(`${isTorn && waiting.length === 0 ? '\n' : ''}${droppedLine(dropped)}`, dropped)
    if (isNoted) dropped = 0
    return isNoted
  }

  return {
    write: (lines) => {
      if (!noteGap() || !enqueue(lines)) dropped += linesIn(Buffer.from(lines))
      if (timer === undefined) attempt()
    },
    end: () => {
      const endMs = performance.now() + EXIT_MS_MAX
      noteGap()
      while (!drain() && performance.now() < endMs) Bun.sleepSync(EXIT_PAUSE_MS)
    },
  }
}

/** The reader of a pipe has not taken what came before. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === NEWLINE) lines++
  return lines
}
