import { availableParallelism } from 'node:os'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { editionName } from '../../themes/themes.ts'
import { createWorkerPool, type PoolLimits } from '../../worker-pool/pool.ts'
import type { Priority } from '../../worker-pool/queue.ts'
import { type PoolWorker, startThread } from '../../worker-pool/worker.ts'
import type { CardContent } from './content.ts'
import type { CardMetrics } from './metrics.ts'
import type { Scene } from './pixels.ts'
import type { Spent } from './renderer.ts'

/** To a thread: the card, and its scene where another thread has rendered it already. */
export type RenderTask = { content: CardContent; scene: Scene | undefined }
/** From a thread. `isWornOut` once it has read so many fonts that a fresh one should take its place. */
export type RenderedCard = { png: Uint8Array<ArrayBuffer>; scene: Scene; spent: Spent; isWornOut: boolean }
export type CardWorker = PoolWorker<RenderTask, RenderedCard>

/** On two crowded cores a cached card took 60 ms with one thread and 90 with two (99th of 100). */
const CORES_LEFT = 1
const LIMITS = {
  /** At some 30 cards a second and core the last is served within the gateway's ten seconds. */
  waitingMax: 100,
  waitMsMax: 5_000,
  answerMsMax: 8_000,
  /** A card takes some 30 ms. */
  deadlineMs: 4_000,
  /** The first card of a thread waits for libraries, fonts and its scene. */
  firstDeadlineMs: 30_000,
  /** A thread holds some 60 MB with its fonts, and the scenes 45 MB. */
  idleMs: 60_000,
}
const RETRY_AFTER_S = 2

/** Other limits, for tests. */
export type CardLimits = Partial<Omit<PoolLimits, 'workersMax'>>

type Options = CardLimits & {
  log: Log
  metrics: CardMetrics
  /** 0: one a core, but for one. */
  threads?: number
  start?: () => CardWorker
}

const startRenderer = (): CardWorker => startThread(new URL('./thread.ts', import.meta.url))

/** Renders cards in threads of their own. */
export function createCardPool({ log, metrics, threads = 0, start = startRenderer, ...limits }: Options) {
  const workersMax = threads || Math.max(1, availableParallelism() - CORES_LEFT)
  /** One of each of the twenty editions at most, 2.3 MB each, for all threads. */
  const scenes = new Map<string, Scene>()
  const pool = createWorkerPool<RenderTask, RenderedCard>({
    ...LIMITS,
    ...limits,
    workersMax,
    start,
    isRetried: () => true,
    isWornOut: ({ isWornOut }) => isWornOut,
    onReply: ({ scene, spent }, { content }) => {
      scenes.set(editionName(content), scene)
      for (const [stage, ms] of Object.entries(spent))
        metrics.stages.observe({ stage: stage.slice(0, -'Ms'.length) }, ms / 1000)
    },
    onFailure: ({ failure, reason, tries }) => {
      metrics.failures.inc()
      log.warn(
        { event: 'card_thread.replaced', failure, reason, tries },
        'A thread that rendered a card was replaced',
      )
    },
    onChange: () => {
      const { size } = pool.workers
      metrics.workers.set(size)
      metrics.waiting.set({ priority: 'live' }, pool.waiting('normal'))
      metrics.waiting.set({ priority: 'ahead' }, pool.waiting('low'))
      if (size === 0) scenes.clear()
    },
  })

  return {
    /** How many cards can be rendered at once. */
    threadsMax: workersMax,
    /** Whether requests wait for cards: pre-rendering should wait then. */
    isPressed: () => pool.waiting('normal') > 0,
    /** @throws ApiError with Retry-After when no thread is free in time; Error when it fails twice */
    render: async (content: CardContent, priority: Priority): Promise<RenderedCard> => {
      const outcome = await pool.run(() => ({ content, scene: scenes.get(editionName(content)) }), {
        priority,
      })
      if ('reply' in outcome) return outcome.reply
      if (outcome.failure === 'stopped') throw new StoreUnavailable('renderer')
      if (outcome.failure !== 'busy')
        throw new Error('a card could not be rendered', { cause: outcome.reason })
      metrics.refused.inc()
      throw new ApiError(
        'unavailable',
        'The card is still being drawn, or others before it. Please try again in a moment.',
        { 'retry-after': String(RETRY_AFTER_S) },
      )
    },
    stop: pool.stop,
  }
}

export type CardPool = ReturnType<typeof createCardPool>
