import { join } from 'node:path'
import { appendDurably } from '@palanquin/files/durable'
import type { Log } from '@palanquin/service/log'
import { pause } from '@palanquin/service/pause'
import { backoffMs } from '@palanquin/service/retry'
import { BLANK_JSON } from './blank.ts'
import { DAMAGED_FILE } from './folder.ts'
import type { Journal } from './journal.ts'
import type { ReplayMetrics } from './metrics.ts'
import type { Segment } from './segment.ts'

/** Entries on their way to Redis at a time; sent in order on one connection. */
const CHUNK_ENTRIES = 256
/** A journal has one process alone: nothing comes back together with it. */
const BACKOFF = { minMs: 200, maxMs: 5_000, jitter: 0 }
const IDLE_MS = 24 * 3_600_000

/** The result for one entry: Redis has it, refuses it (and may have the next), or is away. */
export type Replayed = 'taken' | 'refused' | 'away'

export type Replayer = ReturnType<typeof createReplayer>

type ReplayerOptions = {
  journal: Journal
  write: (json: string) => Promise<Replayed>
  /** Whether it is worth trying: without a connection no file is read. */
  isUp: () => boolean
  now: () => number
  log: Log
  metrics?: ReplayMetrics
}

/**
 * Brings what Redis did not take at once from the disk to Redis, in order, with growing pauses until all is there.
 * An entry may reach Redis twice; its key makes it count once.
 */
export function createReplayer({ journal, write, isUp, now, log, metrics }: ReplayerOptions) {
  let stopped = false
  let isIdle = false
  let pausing = new AbortController()
  let running: Promise<void> | undefined
  const wake = () => pausing.abort()

  const loop = async () => {
    let failures = 0
    while (!stopped) {
      isIdle = false
      pausing = new AbortController()
      const replayed = isUp() ? await replayBacklog() : 0
      if (replayed > 0)
        log.info(
          { event: 'journal.replayed', replayed, isPending: journal.isPending() },
          'Replayed entries of the journal',
        )
      failures = replayed > 0 ? 1 : failures + 1
      isIdle = !journal.isPending()
      if (!stopped) await pause(isIdle ? IDLE_MS : backoffMs(failures, BACKOFF), pausing.signal)
    }
  }

  /** Goes once over everything that waits; ends early when Redis is away. */
  const replayBacklog = async (): Promise<number> => {
    let replayed = 0
    for (const segment of journal.backlog()) {
      const outcome = await replaySegment(segment)
      replayed += outcome.taken
      if (outcome.away || stopped) break
    }
    return replayed
  }

  const replaySegment = async (segment: Segment) => {
    const entries = await entriesToReplay(segment)
    let taken = 0
    for (let start = 0; start < entries.length && !stopped; start += CHUNK_ENTRIES) {
      const chunk = entries.slice(start, start + CHUNK_ENTRIES)
      const outcomes = await Promise.all(chunk.map(({ json }) => write(json)))
      outcomes.forEach((outcome, at) => {
        const index = chunk[at]?.index
        if (outcome !== 'taken' || index === undefined) return
        journal.taken({ segment, index })
        metrics?.replayed.inc()
        taken++
      })
      if (outcomes.includes('away')) return { taken, away: true }
    }
    return { taken, away: false }
  }

  /** What of a segment Redis does not have. Damaged lines are set aside for a person to read. */
  const entriesToReplay = async (segment: Segment): Promise<{ index: number; json: string }[]> => {
    const { lines, torn } = await segment.lines(now())
    if (torn !== '')
      log.warn(
        { event: 'journal.line_torn', segment: segment.path },
        'Dropped a torn last line, which a crash cut off before it was answered',
      )
    return lines.flatMap((line, index) => {
      if (segment.isTaken(index)) return []
      if ('json' in line && line.json !== BLANK_JSON) return [{ index, json: line.json }]
      if ('damaged' in line) setAside(segment, { index, text: line.damaged })
      journal.taken({ segment, index })
      return []
    })
  }

  const setAside = (segment: Segment, { index, text }: { index: number; text: string }) => {
    metrics?.damaged.inc()
    log.error(
      { event: 'journal.line_set_aside', segment: segment.path, index },
      'Moved a damaged journal line to damaged.log',
    )
    appendDurably(join(journal.folder, DAMAGED_FILE), `${text}\n`)
  }

  return {
    name: 'journal replay',
    start: () => {
      running = loop()
    },
    /** Replays now: Redis is back, or a flush waits for it. */
    wake,
    /** Replays now, unless it pauses after a failure. */
    wakeIfIdle: () => {
      if (isIdle) wake()
    },
    stop: async () => {
      stopped = true
      wake()
      await running
    },
  }
}
