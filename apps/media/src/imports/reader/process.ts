import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { SYNC_POINTS_MAX } from '@palanquin/domain/point/input'
import { toIso } from '@palanquin/domain/time'
import { type Recording, readRecording } from '@palanquin/recordings/recording'
import { Unreadable } from '@palanquin/recordings/unreadable'
import type { Line } from './reader.ts'

/** The service's own work comes first on a machine that has both. */
const NICENESS = 10

/** Reads a file from standard input, without connections or secrets; its points leave as lines of JSON. */
setPriority(NICENESS)
// Where memory runs out, Linux kills this process and not the service.
if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
await write(linesOf(await Bun.stdin.bytes()))

function* linesOf(bytes: Uint8Array): Generator<Line> {
  let recording: Recording
  try {
    recording = readRecording(bytes)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    yield { refused: { code: error.code, sentence: error.message } }
    return
  }
  const { format, fixes, withoutTime, withoutPlace, incomplete } = recording
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { recordedAt } of fixes) {
    first = Math.min(first, recordedAt)
    last = Math.max(last, recordedAt)
  }
  const bounds = fixes.length === 0 ? { from: null, to: null } : { from: toIso(first), to: toIso(last) }
  yield { head: { format, points: fixes.length, withoutTime, withoutPlace, incomplete, ...bounds } }
  for (let at = 0; at < fixes.length; at += SYNC_POINTS_MAX)
    yield { fixes: fixes.slice(at, at + SYNC_POINTS_MAX) }
}

/** Waits for the reader of each line: what is not read yet stays here. */
async function write(lines: Iterable<Line>): Promise<void> {
  const out = Bun.stdout.writer()
  for (const line of lines) {
    out.write(`${JSON.stringify(line)}\n`)
    await out.flush()
  }
  await out.end()
}
