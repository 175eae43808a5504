import { cron } from '@elysiajs/cron'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { Elysia } from 'elysia'

/** What is done at times that an operator chooses. */
export type TimedJob = { name: string; pattern: string; run: () => Promise<unknown> }

/**
 * The timed jobs of this service. The plugin starts a job when it is made, runs it over itself, throws what the job
 * throws and goes on after the server has stopped; hence `protect`, `catch` and a stop of our own.
 */
export function timedJobs(log: Log, list: readonly TimedJob[]): Part {
  const stops: (() => void)[] = []
  return {
    name: 'timed jobs',
    start: () => {
      for (const { name, pattern, run } of list) {
        const one = new Elysia({ name: `timed ${name}` }).use(
          cron({
            name: 'job',
            pattern,
            protect: true,
            catch: (error) =>
              log.warn({ err: error, job: name }, 'a timed job failed; it runs again at its time'),
            run: async () => {
              await run()
            },
          }),
        )
        stops.push(() => one.store.cron.job.stop())
      }
    },
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
