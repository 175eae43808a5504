import { cron } from '@elysiajs/cron'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { Elysia } from 'elysia'
import type { Flusher } from './flush/flusher.ts'

/**
 * The jobs of this service: the flush. The plugin starts a job when it is made, runs it over itself, throws what the
 * job throws and goes on after the server has stopped; hence `protect`, `catch` and a stop of our own.
 */
export function schedule({
  flushSchedule,
  flusher,
  log,
}: {
  flushSchedule: string
  flusher: Pick<Flusher, 'flushIfFree'>
  log: Log
}): Part {
  let stop = () => {}
  return {
    name: 'schedule',
    start: () => {
      const jobs = new Elysia({ name: 'schedule' }).use(
        cron({
          name: 'flush',
          pattern: flushSchedule,
          protect: true,
          catch: (error) => log.error({ err: error }, 'a bug: the scheduled flush failed'),
          run: () => flusher.flushIfFree(),
        }),
      )
      stop = () => jobs.store.cron.flush.stop()
    },
    stop: () => stop(),
  }
}
