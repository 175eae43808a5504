import { availableParallelism } from 'node:os'
import { Refusal, StoreUnavailable } from '@palanquin/service/http/refusal'
import type { Log } from '@palanquin/service/log'
import type { CardContent } from '../content.ts'
import { editionOf } from '../edition.ts'
import type { CardMetrics } from '../metrics.ts'
import type { Scene } from '../render/pixels.ts'
import { type Drawn, type StartThread, startThread, type Thread } from './thread.ts'

/** Somebody waits for a `live` card; `ahead` ones are made while nobody does. */
export type Priority = 'live' | 'ahead'

/** A card takes some 30 ms; the gateway gives a request ten seconds. */
const CARD_DEADLINE_MS = 4_000
/** The first card of a thread waits for libraries, fonts and its scene, on a busy machine too. */
const FIRST_CARD_TIMES = 2
const TRIES_MAX = 2
/**
 * For what answers requests: on two crowded cores a card that is there took 60 ms with one thread and 90 with two (99th of
 * 100), while 18 and 22 cards a second were drawn.
 */
const CORES_LEFT = 1
/** At some 30 cards a second and core, the last in the queue is still served within the gateway's deadline. */
const WAITING_MAX = 100
const RETRY_AFTER_S = 2
/** Who has waited so long is told to come again, before the gateway gives up and the card is drawn for nobody. */
const WAIT_MS_MAX = 5_000
/** Threads hold some 60 MB each with their fonts, and the scenes 45 MB: nobody needs them at night. */
const IDLE_MS = 60_000

type Job = {
  priority: Priority
  content: CardContent
  tries: number
  askedAt: number
  resolve: (drawn: Drawn) => void
  reject: (error: Error) => void
}

type Options = {
  log: Log
  metrics: CardMetrics
  /** 0: one a core, but for one. */
  threads?: number
  waitingMax?: number
  waitMsMax?: number
  deadlineMs?: number
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
  deadlineMs = CARD_DEADLINE_MS,
  idleMs = IDLE_MS,
  start = startThread(),
}: Options) {
  const threadsMax = threads || Math.max(1, availableParallelism() - CORES_LEFT)
  const waiting: Record<Priority, Job[]> = { live: [], ahead: [] }
  const idle: Thread[] = []
  const busy = new Set<Thread>()
  /** One of each of the twenty editions at most, 2.3 MB each, for all threads. */
  const scenes = new Map<string, Scene>()
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  const observe = () => {
    metrics.workers.set(idle.length + busy.size)
    for (const priority of ['live', 'ahead'] as const)
      metrics.waiting.set({ priority }, waiting[priority].length)
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
    if (job.tries < TRIES_MAX && !stopped) waiting[job.priority].unshift(job)
    else job.reject(new Error('a card could not be drawn', { cause: error }))
  }
  /** The next card to draw; those that waited too long are refused on the way. */
  const nextJob = (): Job | undefined => {
    for (;;) {
      const job = waiting.live.shift() ?? waiting.ahead.shift()
      if (!job || job.tries > 0 || performance.now() - job.askedAt < waitMsMax) return job
      metrics.refused.inc()
      job.reject(tooMany())
    }
  }
  const next = () => {
    while (!stopped && waiting.live.length + waiting.ahead.length > 0) {
      const thread = freeThread()
      if (!thread) break
      const job = nextJob()
      if (!job) {
        idle.push(thread)
        break
      }
      busy.add(thread)
      job.tries++
      thread
        .draw(
          { content: job.content, scene: scenes.get(editionOf(job.content)) },
          thread.isFresh() ? deadlineMs * FIRST_CARD_TIMES : deadlineMs,
        )
        .then(
          (drawn) => {
            scenes.set(editionOf(job.content), drawn.scene)
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
    isPressed: () => waiting.live.length > 0,
    /** @throws Refusal with Retry-After when the queue is full; Error when a card fails again in a fresh thread */
    draw: (content: CardContent, priority: Priority): Promise<Drawn> => {
      if (stopped) return Promise.reject(new StoreUnavailable('renderer'))
      if (waiting[priority].length >= waitingMax) {
        metrics.refused.inc()
        return Promise.reject(tooMany())
      }
      return new Promise((resolve, reject) => {
        waiting[priority].push({ priority, content, tries: 0, askedAt: performance.now(), resolve, reject })
        next()
      })
    },
    stop: (): void => {
      stopped = true
      clearTimeout(idleTimer)
      for (const job of [...waiting.live.splice(0), ...waiting.ahead.splice(0)])
        job.reject(new StoreUnavailable('renderer'))
      for (const thread of [...idle.splice(0), ...busy]) thread.end()
      observe()
    },
  }
}

const tooMany = () =>
  new Refusal('unavailable', 'Too many cards are asked for at once. Please try again in a moment.', {
    'retry-after': String(RETRY_AFTER_S),
  })

export type CardPool = ReturnType<typeof createCardPool>
