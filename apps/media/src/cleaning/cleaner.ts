import { Refusal } from '@palanquin/service/http/refusal'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { type Cleaned, formatOf, NOT_A_PICTURE, UNREADABLE, type Wanted } from './picture.ts'
import { createPool } from './pool.ts'
import type { Outcome, Worker } from './worker.ts'

/** Processes that decode at the same time; each has one core busy, and some 300 MB at the worst picture. */
const PROCESSES_MAX = 2
const IDLE_MS_MAX = 30_000
/** Pictures that wait: the last of them begins before a person, or the gateway, loses patience. */
const WAITING_MAX = 32
const WAIT_MS_MAX = 3_000
/** Two seconds for the largest picture of the slowest kind, on an idle core (measured); with the wait below the gateway's ten. */
const WORK_MS_MAX = 5_000
/** A process that dies under a picture may have been out of luck: once more, in a fresh one. */
const TRIES_MAX = 2

export type Cleaner = Part & {
  /** The clean picture, a sentence for who sent none (400), or a refusal (503) when there is no room or time now. */
  clean: (bytes: Uint8Array, wanted: Wanted) => Promise<Cleaned | Refusal>
  /** Processes that run now. */
  readonly pids: readonly number[]
}

export type CleanerOptions = {
  log: Log
  metrics?: Metrics
  /** What the processes run; tests have one that misbehaves. */
  script?: string
  processesMax?: number
  idleMsMax?: number
  waitingMax?: number
  waitMsMax?: number
  workMsMax?: number
}

type Job = {
  task: { bytes: Uint8Array; wanted: Wanted }
  settle: (result: Cleaned | Refusal) => void
  patience: ReturnType<typeof setTimeout>
  tries: number
}

const busy = new Refusal('unavailable', 'Many pictures arrive right now. Please try again in a moment.', {
  'retry-after': '2',
})
const late = new Refusal(
  'unavailable',
  'This picture took too long to read. Please try again, or send a smaller one.',
)

/**
 * Cleans pictures in processes of their own: one that crashes, hangs or grows takes nothing else with it. They start
 * with the first picture. What is not one of our formats never gets that far.
 */
export function createCleaner(options: CleanerOptions): Cleaner {
  const { log, metrics, waitingMax = WAITING_MAX, waitMsMax = WAIT_MS_MAX } = options
  const { script, processesMax = PROCESSES_MAX, idleMsMax = IDLE_MS_MAX, workMsMax = WORK_MS_MAX } = options
  const waiting: Job[] = []
  const counted = metrics && countsOf(metrics)
  let stopped = false

  const next = () => {
    for (;;) {
      const worker = waiting.length > 0 && !stopped ? pool.take() : undefined
      const job = worker && waiting.shift()
      if (!worker || !job) return
      clearTimeout(job.patience)
      job.tries++
      void worker.work(job.task, workMsMax).then((outcome) => done(worker, job, outcome))
    }
  }
  const pool = createPool({ script, processesMax, idleMsMax, log, onFree: next })
  const done = (worker: Worker, job: Job, outcome: Outcome) => {
    pool.giveBack(worker, outcome)
    if (typeof outcome !== 'string') job.settle(outcome.cleaned)
    else {
      log.warn({ worker: worker.pid, outcome, tries: job.tries }, 'a picture ended the process that read it')
      if (outcome === 'late' || stopped) job.settle(late)
      else if (job.tries < TRIES_MAX) waiting.unshift(job)
      else job.settle({ refused: UNREADABLE })
    }
    next()
  }
  const queued = (bytes: Uint8Array, wanted: Wanted) =>
    new Promise<Cleaned | Refusal>((settle) => {
      if (stopped || waiting.length >= waitingMax) return settle(busy)
      const patience = setTimeout(() => {
        waiting.splice(waiting.indexOf(job), 1)
        settle(busy)
      }, waitMsMax)
      const job: Job = { task: { bytes, wanted }, settle, patience, tries: 0 }
      waiting.push(job)
      next()
    })

  return {
    name: 'picture cleaner',
    clean: async (bytes, wanted) => {
      const result = formatOf(bytes) === null ? { refused: NOT_A_PICTURE } : await queued(bytes, wanted)
      const outcome = result instanceof Refusal ? 'busy' : 'picture' in result ? 'cleaned' : 'refused'
      counted?.inc({ outcome })
      return result
    },
    get pids() {
      return pool.pids
    },
    stop: () => {
      stopped = true
      for (const { patience, settle } of waiting.splice(0)) {
        clearTimeout(patience)
        settle(busy)
      }
      pool.end()
    },
  }
}

const countsOf = (metrics: Metrics) =>
  counter(metrics, {
    name: 'palanquin_pictures_total',
    help: 'pictures that people sent, by what became of them',
    labels: { outcome: ['cleaned', 'refused', 'busy'] },
  })
