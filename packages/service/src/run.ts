import type { Log } from './log.ts'

/** A part of a process that is started in order and stopped in the reverse order. */
export type Part = {
  name: string
  start?: () => void | Promise<void>
  /** Finishes what is under way, then lets go. */
  stop?: () => void | Promise<void>
}

/** SIGTERM to exit, everything included; what is still under way then is cut off. */
const DRAIN_MS_MAX = 9_000

/** Starts parts in order and stops them last-in first-out on SIGTERM or SIGINT: exit 1 where one failed. */
export function run({
  log,
  parts,
}: {
  log: Log
  /** Or what makes them; a failure of it is a failed start. */
  parts: readonly Part[] | (() => readonly Part[] | Promise<readonly Part[]>)
}): void {
  const started: Part[] = []
  let stopping: Promise<void> | undefined

  const stop = (code: number, reason: string): Promise<void> => {
    stopping ??= (async () => {
      log.info({ event: 'service.stopping', reason }, 'Stopping')
      const cap = setTimeout(() => {
        log.error(
          { event: 'service.drain_timed_out', drainMs: DRAIN_MS_MAX },
          'Did not drain in time; work under way is cut off',
        )
        process.exit(1)
      }, DRAIN_MS_MAX)
      const exitCode = (await stopAll(started, log)) ? code : 1
      clearTimeout(cap)
      log.info({ event: 'service.stopped', exitCode }, 'Stopped')
      process.exit(exitCode)
    })()
    return stopping
  }

  const start = async () => {
    const all = typeof parts === 'function' ? await parts() : parts
    for (const part of all) {
      if (stopping) return
      started.push(part)
      await part.start?.()
    }
    log.info({ event: 'service.started' }, 'Running')
  }

  process.on('SIGTERM', () => void stop(0, 'SIGTERM'))
  process.on('SIGINT', () => void stop(0, 'SIGINT'))
  process.on('uncaughtException', (error) => {
    log.fatal({ event: 'service.exception_uncaught', err: error }, 'Bug: an exception was not caught')
    void stop(1, 'uncaught exception')
  })
  process.on('unhandledRejection', (error) => {
    log.fatal({ event: 'service.rejection_unhandled', err: error }, 'Bug: a rejection was not handled')
    void stop(1, 'unhandled rejection')
  })
  start().catch((error: unknown) => {
    log.fatal({ event: 'service.start_failed', err: error }, 'Could not start')
    void stop(1, 'start failed')
  })
}

/** Stops in the reverse order; whether every part stopped cleanly. */
async function stopAll(started: readonly Part[], log: Log): Promise<boolean> {
  let isClean = true
  for (const part of started.toReversed()) {
    try {
      await part.stop?.()
    } catch (error) {
      isClean = false
      log.error({ event: 'service.stop_failed', err: error, part: part.name }, 'A part did not stop cleanly')
    }
  }
  return isClean
}
