import { StoreUnavailable } from './http/api-error.ts'
import type { Log } from './log.ts'
import type { Part } from './run.ts'

/** Of the nine seconds that a process has to stop; what is being finished is finished by the next start. */
const STOP_MS_MAX = 2_000

export type Job = { name: string; everyMs: number; run: () => Promise<unknown> }

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
        log.debug({ job: name, reason: error.message }, 'a job waits for a store')
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
