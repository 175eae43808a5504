import { writeSync } from 'node:fs'

const STANDARD_OUTPUT = 1
/** A pipe whose reader is slow is waited for, but not without end: everything else would wait with it. */
const PIPE_TRIES_MAX = 200
const PIPE_PAUSE_MS = 10

/**
 * Standard output as a log writes to it. It may be a file on a disk that is full, or a pipe that nobody reads any more: a
 * process does not end for want of its log. What is not taken is dropped, and when there is room again a line says so.
 */
export function logOutput(droppedLine: (lines: number) => string) {
  let dropped = 0
  let isTorn = false

  /** How many bytes were not taken. */
  const send = (text: string): number => {
    let rest = Buffer.from(text)
    let triesLeft = dropped > 0 ? 1 : PIPE_TRIES_MAX
    while (rest.length > 0 && triesLeft > 0) {
      try {
        rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) break
        triesLeft--
        if (triesLeft > 0) Bun.sleepSync(PIPE_PAUSE_MS)
      }
    }
    if (rest.length < Buffer.byteLength(text)) isTorn = rest.length > 0
    return rest.length
  }

  return {
    /** Takes whole lines. */
    write: (lines: string): void => {
      const before = `${isTorn ? '\n' : ''}${dropped > 0 ? droppedLine(dropped) : ''}`
      if (before !== '' && send(before) === 0) dropped = 0
      if (dropped > 0 || send(lines) > 0) dropped += lines.split('\n').length - 1
    },
  }
}
