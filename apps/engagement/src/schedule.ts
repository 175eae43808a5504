import type { Database } from '@palanquin/db/client'
import { forgetProcessed } from '@palanquin/events/once'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { concludeActivity } from './activity/change.ts'
import type { Engagement } from './app.ts'

/** Half of the second within which every process knows of a change of the activity. */
const PROJECT_EVERY_MS = 500
/** An administrator whose call was cut off calls again sooner; this is for when nobody does. */
const CONCLUDE_EVERY_MS = 30_000
const FORGET_EVERY_MS = 24 * 3_600_000

/** Of the nine seconds that a process has to stop; an end that is being finished is finished by the next start. */
const STOP_MS_MAX = 2_000

type Job = { name: string; everyMs: number; run: () => Promise<unknown> }

/** All that this service does without being asked. Every copy of it does; each job may be done twice. */
export function schedule({ engagement, db, log }: { engagement: Engagement; db: Database; log: Log }): Part {
  const { projection, cache, activity } = engagement
  return jobs(log, [
    { name: 'projection of the activity', everyMs: PROJECT_EVERY_MS, run: projection.project },
    { name: 'owed cache drops', everyMs: PROJECT_EVERY_MS, run: cache.settle },
    { name: 'unfinished end', everyMs: CONCLUDE_EVERY_MS, run: () => concludeActivity(activity, 'schedule') },
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'engagement') },
  ])
}

/** Runs each job at once and then again and again, never over itself; stop waits a while for what runs. */
export function jobs(log: Log, list: readonly Job[]): Part {
  const timers = new Map<Job, ReturnType<typeof setTimeout>>()
  const running = new Set<Promise<void>>()
  let stopped = false

  const attempt = async ({ name, run }: Job): Promise<void> => {
    try {
      await run()
    } catch (error) {
      if (error instanceof StoreUnavailable)
        log.debug({ job: name, reason: error.sentence }, 'a job waits for a store')
      else log.error({ err: error, job: name }, 'a job failed; it is tried again')
    }
  }
  const go = (job: Job): void => {
    const work = attempt(job).then(() => {
      running.delete(work)
      if (!stopped)
        timers.set(
          job,
          setTimeout(() => go(job), job.everyMs),
        )
    })
    running.add(work)
  }
  return {
    name: 'schedule',
    start: () => {
      for (const job of list) go(job)
    },
    stop: async () => {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.race([Promise.all(running), Bun.sleep(STOP_MS_MAX)])
    },
  }
}
