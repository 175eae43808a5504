import { fairQueue, type Priority, type Queued } from './queue.ts'
import type { Failure, PoolWorker } from './worker.ts'
import { workerSet } from './worker-set.ts'

/** A worker that fails under a job may not be the job's fault: once more, in a fresh one. */
const TRIES_MAX = 2

export type PoolLimits = {
  workersMax: number
  /** Jobs that wait, of each priority. */
  waitingMax: number
  /** The longest that a job waits for a worker. */
  waitMsMax: number
  /** The longest that the caller waits in all; the worker may go on after it. */
  answerMsMax?: number
  deadlineMs: number
  /** Of the first job of a worker, which waits for its start and its libraries. */
  firstDeadlineMs?: number
  /** A worker without a job ends after this. */
  idleMs: number
}

type Options<Task, Reply> = PoolLimits & {
  start: () => PoolWorker<Task, Reply>
  /** Whether a job that failed so is tried again. */
  isRetried: (failure: Failure) => boolean
  /** Whether a worker ends after this reply, its `runs`-th. */
  isWornOut: (reply: Reply, runs: number) => boolean
  onReply?: (reply: Reply, task: Task) => void
  onFailure: (failed: { failure: Failure; reason: string; tries: number; pid: number | undefined }) => void
  /** After every change of the workers or of the queue. */
  onChange?: () => void
}

/** `busy`: the queue is full, or no worker or reply in time. `failedMs`: the time of failed tries. */
export type Outcome<Reply> = { tries: number; failedMs: number } & (
  | { reply: Reply }
  | { failure: Failure | 'busy' | 'stopped'; reason: string }
)

type Job<Task, Reply> = Queued & {
  taskOf: () => Task
  tries: number
  failedMs: number
  timers: ReturnType<typeof setTimeout>[]
  /** Undefined once the caller has its outcome. */
  settle: ((outcome: Outcome<Reply>) => void) | undefined
}

/** Runs jobs in threads or processes, replaced when they fail, ended when they rest; always an outcome in time. */
export function createWorkerPool<Task, Reply>(options: Options<Task, Reply>) {
  const { start, workersMax, waitingMax, waitMsMax, answerMsMax, idleMs, deadlineMs } = options
  const { firstDeadlineMs = deadlineMs, isRetried, isWornOut, onReply, onFailure, onChange } = options
  type Mine = Job<Task, Reply>
  const queue = fairQueue<Mine>(waitingMax)
  const workers = workerSet({ start, workersMax, idleMs, onIdleEnd: () => onChange?.() })
  let stopped = false

  const settle = (
    job: Mine,
    outcome: { reply: Reply } | { failure: Failure | 'busy' | 'stopped'; reason: string },
  ) => {
    for (const timer of job.timers) clearTimeout(timer)
    job.settle?.({ ...outcome, tries: job.tries, failedMs: job.failedMs })
    job.settle = undefined
  }
  const giveUp = (job: Mine) => {
    queue.remove(job)
    settle(job, { failure: 'busy', reason: 'no reply in time' })
    onChange?.()
  }
  const work = async (job: Mine) => {
    const worker = workers.take()
    job.tries++
    const task = job.taskOf()
    const startedAt = performance.now()
    const run = await worker.run(task, worker.runs === 0 ? firstDeadlineMs : deadlineMs)
    workers.release(worker, 'reply' in run && !stopped && !isWornOut(run.reply, worker.runs))
    if ('reply' in run) onReply?.(run.reply, task)
    else {
      job.failedMs += performance.now() - startedAt
      if (!stopped) onFailure({ ...run, tries: job.tries, pid: worker.pid })
      if (job.settle && job.tries < TRIES_MAX && !stopped && isRetried(run.failure)) {
        queue.again(job)
        return next()
      }
    }
    queue.done(job)
    settle(job, stopped && 'failure' in run ? { failure: 'stopped', reason: run.reason } : run)
    next()
  }
  const next = () => {
    while (!stopped && workers.hasFree()) {
      const job = queue.take()
      if (!job) break
      void work(job)
    }
    onChange?.()
  }

  return {
    /** Never rejects. `taskOf` is called when a worker is free. */
    run: (
      taskOf: () => Task,
      { priority = 'normal', client }: { priority?: Priority; client?: string | undefined } = {},
    ): Promise<Outcome<Reply>> =>
      new Promise((resolve) => {
        const job: Mine = { taskOf, priority, client, tries: 0, failedMs: 0, timers: [], settle: resolve }
        if (stopped) return settle(job, { failure: 'stopped', reason: 'the pool was stopped' })
        if (!queue.add(job)) return settle(job, { failure: 'busy', reason: 'the queue is full' })
        if (answerMsMax !== undefined) job.timers.push(setTimeout(() => giveUp(job), answerMsMax))
        job.timers.push(setTimeout(() => job.tries === 0 && giveUp(job), waitMsMax))
        next()
      }),
    waiting: queue.waiting,
    workers,
    stop: (): void => {
      stopped = true
      for (const job of queue.drain()) settle(job, { failure: 'stopped', reason: 'the pool was stopped' })
      workers.endAll()
      onChange?.()
    },
  }
}
