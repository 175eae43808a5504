import type { HashUser } from '@palanquin/service/hash-user'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { CardService } from './card-service.ts'
import type { Order, OrderStore } from './orders.ts'
import type { CardPool } from './render/card-pool.ts'
import type { CardMetrics } from './render/metrics.ts'

/** A card that fails so often is given up here; a request for it still tries. */
const TRIES_MAX = 5
/** Keeps every thread busy while one card is stored and the next profile is read. */
const PER_THREAD = 4
/** After a store was away. */
const PAUSE_S = 5
const REPORT_EVERY_MS = 10_000
/** While requests wait for cards. */
const PRESSED_PAUSE_MS = 50

type PreRendering = {
  orders: OrderStore
  service: Pick<CardService, 'preRender'>
  pool: Pick<CardPool, 'threadsMax' | 'isPressed'>
  metrics: CardMetrics
  log: Log
  hashUser: HashUser
}

/** Renders the ordered cards until none is left or `signal` aborts. Several processes share the work. */
export async function preRender(parts: PreRendering, signal: AbortSignal): Promise<void> {
  const { orders, pool, metrics, log } = parts
  const tally = { made: 0, current: 0, unknown: 0, failed: 0 }
  const carryOut = orderRunner(parts, tally)
  let reportAt = performance.now() + REPORT_EVERY_MS
  let worked = false

  while (!signal.aborted) {
    if (pool.isPressed()) {
      await Bun.sleep(PRESSED_PAUSE_MS)
      continue
    }
    const batch = await orders.claim(pool.threadsMax * PER_THREAD)
    if (batch.length === 0) break
    worked = true
    const outcomes = await Promise.all(batch.map(carryOut))
    if (outcomes.includes('postponed')) break
    if (performance.now() < reportAt) continue
    reportAt = performance.now() + REPORT_EVERY_MS
    const left = await orders.count()
    metrics.ordersLeft.set(left)
    log.info({ event: 'pre_rendering.progressed', ...tally, left }, 'Pre-rendering cards')
  }
  if (!worked) return
  const left = await orders.count()
  metrics.ordersLeft.set(left)
  if (left === 0)
    log.info({ event: 'pre_rendering.completed', ...tally, left }, 'All ordered cards are rendered')
  else
    log.info({ event: 'pre_rendering.interrupted', ...tally, left }, 'Ordered cards are left to be rendered')
}

type Tally = Record<'made' | 'current' | 'unknown' | 'failed', number>

const orderRunner =
  ({ orders, service, metrics, log, hashUser }: PreRendering, tally: Tally) =>
  async (order: Order): Promise<'settled' | 'postponed'> => {
    const { userId, tries } = order
    try {
      const outcome = await service.preRender(userId, `ahead-${hashUser(userId)}`)
      await orders.done(order)
      tally[outcome]++
      metrics.ordersDone.inc({ outcome })
    } catch (error) {
      if (error instanceof ApiError) {
        await orders.release([userId], PAUSE_S)
        return 'postponed'
      }
      log.error(
        { event: 'pre_rendering.failed', err: error, user: hashUser(userId), tries },
        'A card could not be pre-rendered',
      )
      if (tries < TRIES_MAX) return 'settled' // its lease expires, and it is tried again
      await orders.done(order)
      tally.failed++
      metrics.ordersDone.inc({ outcome: 'failed' })
    }
    return 'settled'
  }
