import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { fairQueue } from './fair-queue.ts'
import { type Cleaned, formatOf, NOT_A_PICTURE, UNREADABLE, type Wanted } from './image.ts'
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

/** Who sent a picture, and who hears what it cost, whatever became of it. */
export type Sender = {
  /** The address that its work is shared out by. */
  client: string
  /** Milliseconds of processor time that the decoding took; called once, before the answer. */
  decoded: (processorMs: number) => void
}

export type Cleaner = Part & {
  /** The clean picture, a sentence for who sent none (400), or a refusal (503) when there is no room or time now. */
  clean: (bytes: Uint8Array, wanted: Wanted, sender?: Sender) => Promise<Cleaned | ApiError>
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
  settle: (result: Cleaned | ApiError) => void
  client: string | undefined
  /** Gives up when it has waited too long. */
  timer: ReturnType<typeof setTimeout>
  tries: number
  processorMs: number
}

const busy = new ApiError('unavailable', 'Many pictures arrive right now. Please try again in a moment.', {
  'retry-after': '2',
})
const late = new ApiError(
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
  const queue = fairQueue<Job>(waitingMax)
  const counted = metrics && countsOf(metrics)
  let stopped = false

  const next = () => {
    while (!stopped && pool.hasFree()) {
      const job = queue.take()
      if (!job) return
      clearTimeout(job.timer)
      job.tries++
      const worker = pool.take()
      const beganMs = performance.now()
      void worker.work(job.task, workMsMax).then((outcome) => {
        // A process that was ended can no longer say; it was at work all the time.
        job.processorMs += typeof outcome === 'string' ? performance.now() - beganMs : outcome.processorMs
        done(worker, job, outcome)
      })
    }
  }
  const pool = createPool({ script, processesMax, idleMsMax, log, onFree: next })
  const done = (worker: Worker, job: Job, outcome: Outcome) => {
    pool.giveBack(worker, outcome)
    if (typeof outcome === 'string')
      log.warn(
        { event: 'picture.process_ended', worker: worker.pid, outcome, tries: job.tries },
        'a picture ended the process that read it',
      )
    if (outcome === 'crashed' && job.tries < TRIES_MAX && !stopped) queue.again(job)
    else {
      queue.done(job)
      job.settle(resultOf(outcome, stopped))
    }
    next()
  }
  const queued = (task: Job['task'], sender: Sender | undefined) =>
    new Promise<Cleaned | ApiError>((resolve) => {
      const settle = (result: Cleaned | ApiError) => {
        if (job.tries > 0) sender?.decoded(job.processorMs)
        resolve(result)
      }
      const timer = setTimeout(() => {
        queue.leave(job)
        settle(busy)
      }, waitMsMax)
      const job: Job = { task, settle, client: sender?.client, timer, tries: 0, processorMs: 0 }
      if (!stopped && queue.add(job)) return next()
      clearTimeout(timer)
      settle(busy)
    })

  return {
    name: 'picture cleaner',
    clean: async (bytes, wanted, sender) => {
      const isPicture = formatOf(bytes) !== null
      const result = isPicture ? await queued({ bytes, wanted }, sender) : { refused: NOT_A_PICTURE }
      const outcome = result instanceof ApiError ? 'busy' : 'picture' in result ? 'cleaned' : 'refused'
      counted?.inc({ outcome })
      return result
    },
    get pids() {
      return pool.pids
    },
    stop: () => {
      stopped = true
      for (const { timer, settle } of queue.drain()) {
        clearTimeout(timer)
        settle(busy)
      }
      pool.end()
    },
  }
}

function resultOf(outcome: Outcome, stopped: boolean): Cleaned | ApiError {
  if (typeof outcome !== 'string') return outcome.cleaned
  return outcome === 'late' || stopped ? late : { refused: UNREADABLE }
}

const countsOf = (metrics: Metrics) =>
  counter(metrics, {
    name: 'palanquin_pictures_total',
    help: 'pictures that people sent, by what became of them',
    labels: { outcome: ['cleaned', 'refused', 'busy'] },
  })
