import { availableParallelism } from 'node:os'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { editionName } from '../../themes/themes.ts'
import type { CardContent } from '../content.ts'
import type { CardMetrics } from '../metrics.ts'
import type { Scene } from '../render/pixels.ts'
import { createQueue, type Job, type Priority } from './queue.ts'
import { type Drawn, type StartThread, startThread, type Thread } from './thread.ts'

/** A card takes some 30 ms; the gateway gives a request ten seconds. */
const CARD_DEADLINE_MS = 4_000
/** The first card of a thread waits for libraries, fonts and its scene: a second, or many on an overloaded machine. */
const FIRST_CARD_DEADLINE_MS = 30_000
/** Within the gateway's deadline, whatever a thread still does: who asks again finds it further on. */
const ANSWER_MS_MAX = 8_000
const TRIES_MAX = 2
/**
 * For what answers requests: on two crowded cores a card that is there took 60 ms with one thread and 90 with two (99th of
 * 100), while 18 and 22 cards a second were drawn.
 */
const CORES_LEFT = 1
/** At some 30 cards a second and core, the last in the queue is still served within the gateway's deadline. */
const WAITING_MAX = 100
/** With the time of a card behind it still within the gateway's deadline: nothing is drawn for nobody. */
const WAIT_MS_MAX = 5_000
/** Threads hold some 60 MB each with their fonts, and the scenes 45 MB: nobody needs them at night. */
const IDLE_MS = 60_000

/** How long cards wait, and how long they are drawn. */
export type PoolTimes = {
  waitMsMax?: number
  answerMsMax?: number
  deadlineMs?: number
  firstDeadlineMs?: number
}

type Options = PoolTimes & {
  log: Log
  metrics: CardMetrics
  /** 0: one a core, but for one. */
  threads?: number
  waitingMax?: number
  idleMs?: number
  start?: StartThread
}

/**
 * Draws cards in threads of their own, started with the first card and ended when nothing is asked for a while. A thread
 * that crashes or hangs is replaced, and its card tried once more.
 */
export function createCardPool({
  log,
  metrics,
  threads = 0,
  waitingMax = WAITING_MAX,
  waitMsMax = WAIT_MS_MAX,
  answerMsMax = ANSWER_MS_MAX,
  deadlineMs = CARD_DEADLINE_MS,
  firstDeadlineMs = FIRST_CARD_DEADLINE_MS,
  idleMs = IDLE_MS,
  start = startThread(),
}: Options) {
  const threadsMax = threads || Math.max(1, availableParallelism() - CORES_LEFT)
  const queue = createQueue({ waitingMax, waitMsMax, onRefused: () => metrics.refused.inc() })
  const idle: Thread[] = []
  const busy = new Set<Thread>()
  /** One of each of the twenty editions at most, 2.3 MB each, for all threads. */
  const scenes = new Map<string, Scene>()
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  const observe = () => {
    metrics.workers.set(idle.length + busy.size)
    for (const priority of ['live', 'ahead'] as const)
      metrics.waiting.set({ priority }, queue.waiting(priority))
  }
  const freeThread = (): Thread | undefined => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (!thread.isBroken()) return thread
    return busy.size < threadsMax ? start() : undefined
  }
  const rest = () => {
    clearTimeout(idleTimer)
    if (busy.size > 0) return
    idleTimer = setTimeout(() => {
      for (const thread of idle.splice(0)) thread.end()
      scenes.clear()
      observe()
    }, idleMs)
    idleTimer.unref()
  }
  const fail = (job: Job, error: Error) => {
    metrics.failures.inc()
    log.warn({ reason: error.message, tries: job.tries }, 'a thread that drew a card was replaced')
    if (job.isAwaited && job.tries < TRIES_MAX && !stopped) queue.addAgain(job)
    else job.reject(new Error('a card could not be drawn', { cause: error }))
  }
  const next = () => {
    while (!stopped && !queue.isEmpty()) {
      const thread = freeThread()
      if (!thread) break
      const job = queue.take()
      if (!job) {
        // All who waited have given up: the thread waits for the next.
        idle.push(thread)
        rest()
        break
      }
      busy.add(thread)
      job.tries++
      thread
        .draw(
          { content: job.content, scene: scenes.get(editionName(job.content)) },
          thread.isFresh() ? firstDeadlineMs : deadlineMs,
        )
        .then(
          (drawn) => {
            scenes.set(editionName(job.content), drawn.scene)
            for (const [stage, ms] of Object.entries(drawn.spent))
              metrics.stages.observe({ stage: stage.slice(0, -'Ms'.length) }, ms / 1000)
            job.resolve(drawn)
          },
          (error: Error) => fail(job, error),
        )
        .finally(() => {
          busy.delete(thread)
          if (!thread.isBroken()) idle.push(thread)
          next()
          rest()
        })
    }
    observe()
  }

  return {
    /** How many cards can be drawn at once. */
    threadsMax,
    /** Whether somebody waits for a card: what is made ahead should wait then. */
    isPressed: () => queue.waiting('live') > 0,
    /** @throws Refusal with Retry-After when the queue is full or the wait too long; Error when a card fails again in a fresh thread */
    draw: (content: CardContent, priority: Priority): Promise<Drawn> => {
      if (stopped) return Promise.reject(new StoreUnavailable('renderer'))
      const { promise, resolve, reject } = Promise.withResolvers<Drawn>()
      const job: Job = { priority, content, tries: 0, isAwaited: true, resolve, reject }
      const patience = setTimeout(() => queue.refuse(job), answerMsMax)
      queue.add(job)
      next()
      return promise.finally(() => {
        job.isAwaited = false
        clearTimeout(patience)
      })
    },
    stop: (): void => {
      stopped = true
      clearTimeout(idleTimer)
      for (const job of queue.drain()) job.reject(new StoreUnavailable('renderer'))
      for (const thread of [...idle.splice(0), ...busy]) thread.end()
      observe()
    },
  }
}

export type CardPool = ReturnType<typeof createCardPool>
