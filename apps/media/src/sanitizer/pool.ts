import type { Log } from '@palanquin/service/log'
import { type Outcome, startWorker, type Worker } from './worker.ts'

/** A process that has grown, or has seen many strangers' files, is replaced. */
const TASKS_PER_PROCESS = 500
const RSS_BYTES_MAX = 400_000_000

export type Pool = {
  /** Whether one has nothing to do, or may be started. */
  hasFree: () => boolean
  /** A process with nothing to do, or a new one. Only while `hasFree`. */
  take: () => Worker
  /** After its task: it rests, or ends when it has had enough. */
  giveBack: (worker: Worker, outcome: Outcome) => void
  readonly pids: readonly number[]
  end: () => void
}

/** Up to `processesMax` processes, started when they are wanted and ended when they rest for long. */
export function createPool({
  script,
  processesMax,
  idleMsMax,
  log,
  onFree,
}: {
  script?: string | undefined
  processesMax: number
  idleMsMax: number
  log: Log
  /** There may be room for a process again. */
  onFree: () => void
}): Pool {
  const workers = new Set<Worker>()
  const resting = new Map<Worker, ReturnType<typeof setTimeout>>()
  let ended = false

  const wakeOf = (worker: Worker) => {
    clearTimeout(resting.get(worker))
    resting.delete(worker)
  }
  const start = (): Worker => {
    const worker = startWorker(script, ({ code, signal }) => {
      workers.delete(worker)
      wakeOf(worker)
      if (ended) return
      log.debug({ worker: worker.pid, code, signal }, 'a process that reads pictures has ended')
      onFree()
    })
    workers.add(worker)
    return worker
  }

  return {
    hasFree: () => resting.size > 0 || workers.size < processesMax,
    take: () => {
      const [first] = resting.keys()
      if (!first) return start()
      wakeOf(first)
      return first
    },
    giveBack: (worker, outcome) => {
      if (typeof outcome === 'string') return // it has ended, or is being ended
      if (ended || worker.done >= TASKS_PER_PROCESS || outcome.rssBytes > RSS_BYTES_MAX) return worker.end()
      const timer = setTimeout(() => {
        wakeOf(worker)
        worker.end()
      }, idleMsMax)
      timer.unref()
      resting.set(worker, timer)
    },
    get pids() {
      return [...workers].map(({ pid }) => pid)
    },
    end: () => {
      ended = true
      for (const worker of workers) worker.end()
    },
  }
}
