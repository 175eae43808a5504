import { join } from 'node:path'
import { appendDurably } from '@palanquin/files/durable'
import type { Log } from '@palanquin/service/log'
import { BLANK_JSON } from './blank.ts'
import { DAMAGED_FILE } from './folder.ts'
import type { Journal } from './journal.ts'
import type { ReplayMetrics } from './metrics.ts'
import type { Segment } from './segment.ts'

/** Entries on their way to Redis at a time; sent in order on one connection. */
const CHUNK_ENTRIES = 256
const PAUSE_MS_MIN = 200
const PAUSE_MS_MAX = 5_000

/** What became of one entry: Redis has it, refuses it (and may have the next), or is away. */
export type Replayed = 'taken' | 'refused' | 'away'

export type Replayer = ReturnType<typeof createReplayer>

/**
 * Brings what Redis did not take at once from the disk to Redis, in order, with growing pauses until all is there.
 * An entry may reach Redis twice; its key makes it count once.
 */
export function createReplayer({
  journal,
  write,
  isUp,
  now,
  log,
  metrics,
}: {
  journal: Journal
  write: (json: string) => Promise<Replayed>
  /** Whether it is worth trying: without a connection no file is read. */
  isUp: () => boolean
  now: () => number
  log: Log
  metrics?: ReplayMetrics
}) {
  let stopped = false
  let wake = () => {}
  let idle = false
  let running: Promise<void> | undefined

  const pause = (ms: number | null) =>
    new Promise<void>((resolve) => {
      idle = ms === null
      const timer = ms === null ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const loop = async () => {
    let pauseMs = PAUSE_MS_MIN
    while (!stopped) {
      const replayed = isUp() ? await pass() : 0
      const isPending = journal.isPending()
      if (replayed > 0) log.info({ replayed, isPending }, 'replayed check-ins from the journal')
      pauseMs = replayed > 0 ? PAUSE_MS_MIN : Math.min(pauseMs * 2, PAUSE_MS_MAX)
      if (!stopped) await pause(isPending ? pauseMs : null)
    }
  }

  /** One walk over everything that waits; ends early when Redis is away. */
  const pass = async (): Promise<number> => {
    let replayed = 0
    for (const segment of journal.backlog()) {
      const outcome = await replaySegment(segment)
      replayed += outcome.taken
      if (outcome.away || stopped) break
    }
    return replayed
  }

  const replaySegment = async (segment: Segment) => {
    const left = await entriesLeft(segment)
    let taken = 0
    for (let start = 0; start < left.length && !stopped; start += CHUNK_ENTRIES) {
      const chunk = left.slice(start, start + CHUNK_ENTRIES)
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

  /** What of a segment Redis does not have. Damaged lines are put aside: a person may still read them. */
  const entriesLeft = async (segment: Segment): Promise<{ index: number; json: string }[]> => {
    const { lines, torn } = await segment.lines(now())
    if (torn !== '')
      log.warn(
        { segment: segment.path },
        'dropped a torn last line: a crash cut it off before it was answered',
      )
    return lines.flatMap((line, index) => {
      if (segment.isTaken(index)) return []
      if ('json' in line && line.json !== BLANK_JSON) return [{ index, json: line.json }]
      if ('damaged' in line) {
        metrics?.damaged.inc()
        log.error(
          { event: 'journal.line_set_aside', segment: segment.path, index },
          'a damaged journal line was put aside in damaged.log',
        )
        appendDurably(join(journal.folder, DAMAGED_FILE), `${line.damaged}\n`)
      }
      journal.taken({ segment, index })
      return []
    })
  }

  return {
    name: 'journal replay',
    start: () => {
      running = loop()
    },
    /** Redis is back, or somebody waits for it: look now. */
    kick: () => wake(),
    /** An entry was left: look, unless a pause after a failure is under way. */
    wakeIfIdle: () => {
      if (idle) wake()
    },
    stop: async () => {
      stopped = true
      wake()
      await running
    },
  }
}
