import { backoffMs } from '@palanquin/service/retry'
import type { Running, StartOptions, Unit } from '../units/unit.ts'

/** Interval of the check: a restart begins well within a second of a death. */
const LOOK_MS = 100
/** A unit that ran this long is restarted at once; one that dies sooner waits, longer each time. */
const STEADY_MS = 1_000
const BACKOFF = { minMs: 250, maxMs: 5_000, jitter: 0 }

type Watched = {
  unit: Unit
  running: Running
  /** Since when it runs; undefined while it is down. */
  upSinceMs: number | undefined
  /** Consecutive starts that did not last. */
  failures: number
  nextTryMs: number
  restarting: Promise<void> | undefined
}

export type Supervisor = {
  /**
   * Starts all units side by side and watches them from then on. Rejects with the first failure, once every
   * start has ended. Later stages are stopped first.
   */
  add: (
    stages: readonly (readonly Unit[])[],
    options: { detail: (text: string) => void; signal: AbortSignal },
  ) => Promise<void>
  /**
   * Replaces the process of a unit, and resolves once the new one serves. Rejects when it does not start;
   * then the old one still runs, or the unit is restarted like one that died.
   */
  replace: (name: string) => Promise<void>
  /** Stops everything, last in, first out; returns the units that did not stop. */
  stop: () => Promise<Error[]>
}

/**
 * Restarts processes that die, at once and then with growing delays, and replaces them on demand. It checks
 * pids instead of waiting for children, because it also watches servers adopted from a killed launcher.
 * `changed` is called after every restart and replacement.
 */
export function createSupervisor({
  log,
  changed,
}: {
  log: (line: string) => void
  changed: () => void
}): Supervisor {
  const stages: Watched[][] = []
  const stopping = new AbortController()

  const restart = async (watched: Watched, diedMs: number) => {
    const { unit } = watched
    if (isSteady(watched, diedMs)) watched.failures = 0
    watched.failures++
    watched.upSinceMs = undefined
    log(`${unit.name} (process ${watched.running.pid}) is gone; starting it again`)
    const pauseMs = backoffMs(watched.failures, BACKOFF)
    try {
      watched.running = await unit.start({ detail: () => {}, signal: stopping.signal })
      watched.upSinceMs = performance.now()
      log(
        `${unit.name} is back as process ${watched.running.pid} after ${Math.round(watched.upSinceMs - diedMs)} ms`,
      )
      changed()
    } catch (error) {
      if (!stopping.signal.aborted) log(`${unit.name} does not come back: ${reasonOf(error)}`)
    }
    watched.nextTryMs = performance.now() + pauseMs
    watched.restarting = undefined
  }

  const replace = async (watched: Watched) => {
    const { unit, running } = watched
    const startedMs = performance.now()
    const options: StartOptions = { detail: () => {}, signal: stopping.signal }
    const stopThenStart = async () => {
      await running.stop()
      return unit.start(options)
    }
    try {
      watched.running = await (unit.replace ? unit.replace(options) : stopThenStart())
      watched.upSinceMs = performance.now()
      watched.failures = 0
      const tookMs = Math.round(watched.upSinceMs - startedMs)
      log(
        `${unit.name} (process ${running.pid}) is replaced by process ${watched.running.pid} after ${tookMs} ms`,
      )
    } finally {
      watched.restarting = undefined
      changed()
    }
  }

  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const watched of stages.flat()) {
      const due = isSteady(watched, nowMs) || nowMs >= watched.nextTryMs
      if (!watched.restarting && due && !watched.running.isAlive())
        watched.restarting = restart(watched, nowMs)
    }
  }, LOOK_MS)

  return {
    add: async (added, { detail, signal }) => {
      const starts = added.flatMap((units) => {
        const stage: Watched[] = []
        stages.push(stage)
        return units.map(async (unit) => {
          const running = await unit.start({ signal, detail })
          const upSinceMs = performance.now()
          stage.push({ unit, running, upSinceMs, failures: 0, nextTryMs: 0, restarting: undefined })
        })
      })
      const failed = (await Promise.allSettled(starts)).find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
    },
    replace: async (name) => {
      const watched = stages.flat().find(({ unit }) => unit.name === name)
      if (!watched) throw new Error(`nothing here is called ${name}`)
      while (watched.restarting) await watched.restarting.catch(() => {}) // reported by the restart itself
      stopping.signal.throwIfAborted()
      const work = replace(watched)
      watched.restarting = work
      await work
    },
    stop: async () => {
      stopping.abort()
      clearInterval(timer)
      const problems: Error[] = []
      const end = async (watched: Watched) => {
        await watched.restarting?.catch(() => {}) // reported by the restart itself
        await watched.running.stop().catch((error: unknown) => {
          problems.push(new Error(`${watched.unit.name} did not stop: ${reasonOf(error)}`))
        })
      }
      for (const stage of stages.toReversed()) await Promise.all(stage.map(end))
      return problems
    },
  }
}

const isSteady = ({ upSinceMs }: Watched, nowMs: number): boolean =>
  upSinceMs !== undefined && nowMs - upSinceMs > STEADY_MS

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
