import type { ImportedCounts } from '@palanquin/domain/recording-import'
import type { Objects } from '@palanquin/objects/objects'
import { ApiError } from '@palanquin/service/http/api-error'
import type { FileReading, Head } from './reader/reader.ts'
import { type ImportError, NOTHING_READ, type Report } from './report.ts'
import type { Claimed, ImportStore } from './store.ts'
import type { SendPoints } from './tracking-client.ts'

/** Of the time that tracking works on imports: the rest is for check-ins. */
const PAUSES_PER_CALL = 4
const PAUSE_MS_MIN = 20

/** What one person may have read in a day. */
export type Budget = { points: number; processorMs: number }
/** Nine days of a point a second are 777,600; six of the dearest files, and a hundred of the usual ones. */
export const DAILY_BUDGET: Budget = { points: 1_000_000, processorMs: 60_000 }
/** After so long it is the turn of others; a file is read anew in its next turn. */
export const TURN_MS = 15_000

export type ImportRun = {
  store: Pick<ImportStore, 'keep' | 'spend' | 'othersWait'>
  objects: Pick<Objects, 'get'>
  read: (bytes: Uint8Array<ArrayBuffer>) => FileReading
  send: SendPoints
  /** Epoch ms before which no point is taken; null without one. */
  startsAtMs: () => number | null
  pause: (ms: number) => Promise<void>
  budget: Budget
  turnMs: number
}
export type RunOutcome = {
  report: Report
  error: ImportError | null
  stage: 'done' | 'unreadable' | 'denied' | 'spent'
}

const GET_DEADLINE_MS = 20_000
const LOST: ImportError = {
  code: 'send_again',
  sentence: 'The file is not there any more. Please send it again.',
}
const SPENT: ImportError = {
  code: 'spent_today',
  sentence:
    'As much was read as one person has in a day. Please send this file again tomorrow; what was stored stays.',
}
export const FILE_BYTES_MAX = 52_428_800

/** Reads a claimed file and sends its points on from where it got to. Null: erased. @throws StoreUnavailable */
export async function runImport(parts: ImportRun, claimed: Claimed): Promise<RunOutcome | 'turn' | null> {
  const { store, objects, read, send, startsAtMs, pause, budget, turnMs } = parts
  let { report, handled, userId, spentPoints } = claimed
  const endsMs = performance.now() + turnMs
  if (claimed.spentProcessorMs >= budget.processorMs) return { report, error: SPENT, stage: 'spent' }
  const file = await objects.get(claimed.objectKey, {
    bytesMax: FILE_BYTES_MAX,
    deadlineMs: GET_DEADLINE_MS,
  })
  if (!file) return { report, error: LOST, stage: 'unreadable' }
  const reading = read(file)
  let at = 0
  try {
    for await (const line of reading.lines) {
      if ('refused' in line) return { report, error: line.refused, stage: 'unreadable' }
      if ('head' in line) {
        if (handled === 0) report = reportOf(line.head)
        continue
      }
      const fixes = line.fixes.slice(Math.max(0, handled - at))
      at += line.fixes.length
      if (fixes.length === 0) continue
      spentPoints += fixes.length
      if (spentPoints > budget.points) return { report, error: SPENT, stage: 'spent' }
      const bound = startsAtMs()
      const wanted = bound === null ? fixes : fixes.filter(({ recordedAt }) => recordedAt >= bound)
      const startedAt = performance.now()
      const counts = await send(userId, wanted, claimed.receivedAt)
      const tookMs = performance.now() - startedAt
      if (counts instanceof ApiError)
        return { report, error: { code: 'not_taken', sentence: counts.message }, stage: 'denied' }
      report = withCounts(report, counts, fixes.length - wanted.length)
      handled = at
      const owner = await store.keep(claimed.id, { report, handled })
      if (owner === null) return null
      userId = owner
      if (performance.now() >= endsMs && (await store.othersWait(userId))) return 'turn'
      await pause(Math.max(PAUSE_MS_MIN, tookMs * PAUSES_PER_CALL))
    }
    return { report, error: null, stage: 'done' }
  } finally {
    await store.spend(claimed.id, await reading.end())
  }
}

function reportOf({ format, points, withoutTime, withoutPlace, incomplete, from, to }: Head): Report {
  const reasons = { ...NOTHING_READ.reasons, noTime: withoutTime, noPlace: withoutPlace }
  const invalid = withoutTime + withoutPlace
  return { ...NOTHING_READ, format, points: points + invalid, invalid, reasons, incomplete, from, to }
}

function withCounts(report: Report, counts: ImportedCounts, beforeStart: number): Report {
  const { stored, duplicates, tooOld, future, invalid } = counts
  const { reasons } = report
  return {
    ...report,
    stored: report.stored + stored,
    duplicates: report.duplicates + duplicates,
    tooOld: report.tooOld + tooOld + beforeStart,
    invalid: report.invalid + future + invalid,
    reasons: { ...reasons, future: reasons.future + future, outOfRange: reasons.outOfRange + invalid },
  }
}
