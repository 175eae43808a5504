import { cron } from '@elysiajs/cron'
import { Elysia } from 'elysia'
import { StoreUnavailable } from './http/api-error.ts'
import type { Log } from './log.ts'
import type { Part } from './run.ts'

/** Of the nine seconds that a process has to stop; what is cut off is finished after the next start. */
const STOP_MS_MAX = 2_000

/** Runs at the start and then `everyMs` after each end, or when a cron pattern is due. */
export type Job = { name: string; run: () => Promise<unknown> } & ({ everyMs: number } | { cron: string })

/** Runs jobs, each never over itself. A failure is logged, and the job runs again at its time. */
export function schedule(log: Log, jobs: readonly Job[]): Part {
  const cancels = new Map<Job, () => void>()
  const running = new Map<Job, Promise<void>>()
  let stopped = false

  const attempt = async (job: Job): Promise<void> => {
    try {
      await job.run()
    } catch (error) {
      if (error instanceof StoreUnavailable)
        log.debug(
          { event: 'job.postponed', job: job.name, reason: error.message },
          'A job waits until a store is back',
        )
      else log.error({ event: 'job.failed', job: job.name, err: error }, 'A job failed; it runs again later')
    }
  }
  const once = async (job: Job): Promise<void> => {
    const work = running.get(job) ?? attempt(job).finally(() => running.delete(job))
    running.set(job, work)
    await work
  }
  const repeat = async (job: Job, everyMs: number): Promise<void> => {
    await once(job)
    if (stopped) return
    const timer = setTimeout(() => void repeat(job, everyMs), everyMs)
    cancels.set(job, () => clearTimeout(timer))
  }
  return {
    name: 'schedule',
    start: () => {
      for (const job of jobs)
        if ('cron' in job)
          cancels.set(
            job,
            onPattern(job.cron, () => once(job)),
          )
        else void repeat(job, job.everyMs)
    },
    stop: async () => {
      stopped = true
      for (const cancel of cancels.values()) cancel()
      await Promise.race([Promise.all(running.values()), Bun.sleep(STOP_MS_MAX)])
    },
  }
}

/** The plugin starts a job when it is made and goes on after its server has stopped. */
function onPattern(pattern: string, run: () => Promise<void>): () => void {
  const plugin = new Elysia().use(cron({ name: 'job', pattern, run }))
  return () => plugin.store.cron.job.stop()
}
