import { type PoolWorker, unstarted } from './worker.ts'

/** Up to `workersMax` workers, started when they are needed; one that rests for `idleMs` ends. */
export function workerSet<Task, Reply>({
  start,
  workersMax,
  idleMs,
  onIdleEnd,
}: {
  start: () => PoolWorker<Task, Reply>
  workersMax: number
  idleMs: number
  onIdleEnd: () => void
}) {
  type Worker = PoolWorker<Task, Reply>
  const busy = new Set<Worker>()
  const idle = new Map<Worker, ReturnType<typeof setTimeout>>()

  const wake = (worker: Worker) => {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
  }
  const rest = (worker: Worker) => {
    const timer = setTimeout(() => {
      wake(worker)
      worker.end()
      onIdleEnd()
    }, idleMs)
    timer.unref()
    idle.set(worker, timer)
  }
  const startOne = (): Worker => {
    try {
      return start()
    } catch (error) {
      return unstarted(String(error))
    }
  }
  const takeIdle = (): Worker | undefined => {
    // The latest first, so that the others rest for long enough to end.
    for (const worker of [...idle.keys()].reverse()) {
      wake(worker)
      if (!worker.isEnded) return worker
    }
    return undefined
  }

  return {
    hasFree: (): boolean => idle.size > 0 || busy.size < workersMax,
    /** One that rests, or a new one. Only while `hasFree`. */
    take: (): Worker => {
      const worker = takeIdle() ?? startOne()
      busy.add(worker)
      return worker
    },
    /** After its job: it is reused, or ends. */
    release: (worker: Worker, isReused: boolean): void => {
      busy.delete(worker)
      if (isReused) rest(worker)
      else worker.end()
    },
    endAll: (): void => {
      for (const worker of [...idle.keys(), ...busy]) {
        wake(worker)
        worker.end()
      }
    },
    get size(): number {
      return busy.size + idle.size
    },
    /** Of processes. */
    get pids(): number[] {
      return [...busy, ...idle.keys()].flatMap(({ isEnded, pid }) =>
        isEnded || pid === undefined ? [] : [pid],
      )
    },
  }
}
