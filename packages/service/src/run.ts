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

/**
 * Starts the parts one after another and stops them last-in first-out on SIGTERM or SIGINT: exit 0 when all
 * stopped in time, 1 when a start or a stop failed. No top-level await is needed in an entry file.
 */
export function run({ log, parts }: { log: Log; parts: readonly Part[] }): void {
  const started: Part[] = []
  let stopping: Promise<void> | undefined

  const stop = (code: number, why: string): Promise<void> => {
    stopping ??= (async () => {
      log.info({ why }, 'stopping')
      const cap = setTimeout(() => {
        log.error({ drainMs: DRAIN_MS_MAX }, 'did not drain in time; leaving what is under way')
        process.exit(1)
      }, DRAIN_MS_MAX)
      let exitCode = code
      for (const part of started.reverse()) {
        try {
          await part.stop?.()
        } catch (error) {
          exitCode = 1
          log.error({ err: error, part: part.name }, 'a part did not stop cleanly')
        }
      }
      clearTimeout(cap)
      log.info({ exitCode }, 'stopped')
      process.exit(exitCode)
    })()
    return stopping
  }

  const start = async () => {
    for (const part of parts) {
      if (stopping) return
      started.push(part)
      await part.start?.()
    }
    log.info('running')
  }

  process.on('SIGTERM', () => void stop(0, 'SIGTERM'))
  process.on('SIGINT', () => void stop(0, 'SIGINT'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a bug: an exception that nothing caught')
    void stop(1, 'uncaught exception')
  })
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a bug: a rejection that nothing handled')
    void stop(1, 'unhandled rejection')
  })
  start().catch((error: unknown) => {
    log.fatal({ err: error }, 'could not start')
    void stop(1, 'start failed')
  })
}
