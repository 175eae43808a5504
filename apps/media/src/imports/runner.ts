import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { pause } from '@palanquin/service/pause'
import type { Part } from '@palanquin/service/run'
import type { ImportMetrics } from './metrics.ts'
import type { ImportError } from './report.ts'
import { type ImportRun, runImport } from './run.ts'
import type { Claimed, ImportStore } from './store.ts'

const LOOK_EVERY_MS = 2_000
/** Well below the lease. */
const RENEW_EVERY_MS = 2_000
const TRIES_MAX = 5
const POSTPONED_S = 5
const GAVE_UP: ImportError = {
  code: 'send_again',
  sentence: 'This file could not be read, several times. Please send it again, or in parts.',
}

type Options = Omit<ImportRun, 'store' | 'pause'> & { store: ImportStore; metrics: ImportMetrics; log: Log }
export type ImportRunner = Part & {
  /** Something was added. */
  wake: () => void
}

/** Works on imports one at a time; one that a process left behind is taken up by another. */
export function importRunner({ store, metrics, log, ...parts }: Options): ImportRunner {
  const stopping = new AbortController()
  let isStarted = false
  let working: Promise<void> | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const work = async (claimed: Claimed): Promise<void> => {
    const { id, tries } = claimed
    if (tries > TRIES_MAX) {
      await store.finish(id, { report: claimed.report, error: GAVE_UP })
      metrics.ended('gave_up', claimed.report)
      return
    }
    let kept = { report: claimed.report, handled: claimed.handled }
    const noted: ImportStore['keep'] = (of, progress) => {
      kept = progress
      return store.keep(of, progress)
    }
    const renewal = setInterval(() => void store.keep(id, kept).catch(() => {}), RENEW_EVERY_MS)
    try {
      const outcome = await runImport(
        {
          ...parts,
          store: { ...store, keep: noted },
          pause: async (ms) => {
            await pause(ms, stopping.signal)
            stopping.signal.throwIfAborted()
          },
        },
        claimed,
      )
      if (!outcome) return
      if (outcome === 'turn') return await store.release(id, 0)
      await store.finish(id, outcome)
      metrics.ended(outcome.stage, outcome.report)
      const { format, points, stored } = outcome.report
      log.info(
        { event: 'import.ended', importId: id, outcome: outcome.stage, format, points, stored },
        'A file was imported, or refused',
      )
    } finally {
      clearInterval(renewal)
    }
  }

  const attempt = async (claimed: Claimed): Promise<void> => {
    try {
      await work(claimed)
    } catch (error) {
      if (stopping.signal.aborted) return store.release(claimed.id, 0)
      const isAway = error instanceof StoreUnavailable
      const importId = claimed.id
      if (isAway)
        log.debug(
          { event: 'import.postponed', importId, reason: error.message },
          'An import waits until a store is back',
        )
      else
        log.error(
          { event: 'import.interrupted', importId, err: error },
          'An import broke off; it is run again',
        )
      // A store that is away is no fault of the file.
      if (isAway) await store.release(claimed.id, POSTPONED_S)
    }
  }

  const drain = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const claimed = await store.claim()
      if (!claimed) return
      await attempt(claimed)
    }
  }
  const wake = (): void => {
    if (!isStarted || stopping.signal.aborted) return
    working ??= drain()
      .catch((error: unknown) =>
        log.debug(
          { event: 'import.unclaimed', reason: String(error) },
          'Imports wait until PostgreSQL is there',
        ),
      )
      .finally(() => {
        working = undefined
      })
  }
  return {
    name: 'imports',
    wake,
    start: () => {
      isStarted = true
      wake()
      timer = setInterval(wake, LOOK_EVERY_MS)
    },
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await working
    },
  }
}
