import { withDeadline } from './deadline.ts'
import type { Log } from './log.ts'
import { type Redis, untilThere } from './redis.ts'
import { isForbidden, redisProblem } from './redis-requirements.ts'
import type { Part } from './run.ts'

/** A process that did not wait for a connection would report an outage that is none. */
const REDIS_HEAD_START_MS = 500
/** A store that has not answered by then is away; it is checked when it comes. */
const CHECK_MS_MAX = 2_000
const CHECK_AGAIN_MS = 1_000

/** What is wrong with a store, and what to do; undefined: nothing. Rejects while it is away. */
export type StoreCheck = () => Promise<string | undefined>

type Options = {
  log: Log
  /** The first is asked what server it is. */
  redis: readonly [Redis, ...Pick<Redis, 'isReady' | 'on' | 'destroy'>[]]
  /** Of the other stores. */
  check?: StoreCheck
  /** Closes the other stores. */
  close?: () => void | Promise<void>
  /** Ends the process: nothing may be taken that a store would lose. */
  refuse?: () => void
}

/** The stores of a process, as its first part; they are closed last. One that does not fit is refused. */
export function storesPart({
  log,
  redis,
  check = async () => undefined,
  close = () => {},
  refuse = () => process.exit(1),
}: Options): Part {
  const clients = new Set(redis)
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let stopped = false

  /** The problem of a store; null where it did not answer. */
  const ask = (check: StoreCheck): Promise<string | undefined | null> =>
    withDeadline(check(), { what: 'a store', deadlineMs: CHECK_MS_MAX }).catch((error: unknown) => {
      if (!isForbidden(error)) {
        log.debug(
          { event: 'store.check_postponed', reason: String(error) },
          'A store is checked when it comes',
        )
        return null
      }
      log.warn(
        { event: 'redis.unchecked', reason: String(error) },
        'The user of REDIS_URL may not use INFO: whether Redis evicts is not known',
      )
      return undefined
    })
  const refused = (reason: string) =>
    log.fatal({ event: 'store.refused', reason }, 'A store does not serve this program')
  const checkLater = (check: StoreCheck) => {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const problem = await ask(check)
      if (stopped) return
      if (problem === null) return checkLater(check)
      if (problem === undefined) return
      refused(problem)
      refuse()
    }, CHECK_AGAIN_MS)
    timers.add(timer)
  }

  return {
    name: 'stores',
    start: async () => {
      await Promise.all([...clients].map((client) => untilThere(client, REDIS_HEAD_START_MS)))
      const checks = [() => redisProblem(redis[0]), check]
      const problems = await Promise.all(checks.map(ask))
      const problem = problems.find((each) => typeof each === 'string')
      if (typeof problem === 'string') {
        refused(problem)
        throw new Error(problem)
      }
      for (const [at, check] of checks.entries()) if (problems[at] === null) checkLater(check)
    },
    stop: async () => {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      for (const client of clients) client.destroy()
      await close()
    },
  }
}
