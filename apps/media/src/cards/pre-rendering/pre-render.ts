import type { HashUser } from '@palanquin/service/hash-user'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { CardRoom } from '../card-service.ts'
import type { CardMetrics } from '../metrics.ts'
import type { CardPool } from '../render/card-pool.ts'
import type { Order, OrderStore } from './orders.ts'

/** Cards that fail so often are not tried again; the request for one still is. */
const TRIES_MAX = 5
/** Keeps every thread busy while one card is stored and the next is asked for. */
const PER_THREAD = 4
/** After a store was away. */
const PAUSE_S = 5
const REPORT_EVERY_MS = 10_000
/** While somebody waits for a card, what nobody waits for does. */
const PRESSED_PAUSE_MS = 50

type CarryOut = {
  orders: OrderStore
  room: Pick<CardRoom, 'makeAhead'>
  pool: Pick<CardPool, 'threadsMax' | 'isPressed'>
  metrics: CardMetrics
  log: Log
  hashUser: HashUser
}

/**
 * Makes the cards that are ordered ahead, until none is left or `signal` says stop. Several processes share the work; one
 * that dies leaves its orders to the others, and what it had made is found current.
 */
export async function carryOut(
  { orders, room, pool, metrics, log, hashUser }: CarryOut,
  signal: AbortSignal,
): Promise<void> {
  const tally = { made: 0, current: 0, unknown: 0, failed: 0 }
  let reportAt = performance.now() + REPORT_EVERY_MS
  let worked = false

  const one = async (order: Order): Promise<'settled' | 'postponed'> => {
    try {
      const outcome = await room.makeAhead(order.userId, `ahead-${hashUser(order.userId)}`)
      await orders.done(order)
      tally[outcome]++
      metrics.ordersDone.inc({ outcome })
    } catch (error) {
      if (error instanceof ApiError) {
        await orders.giveBack([order.userId], PAUSE_S)
        return 'postponed'
      }
      log.error(
        { err: error, user: hashUser(order.userId), tries: order.tries },
        'a card could not be made ahead',
      )
      if (order.tries < TRIES_MAX) return 'settled' // its lease runs out, and it is tried again
      await orders.done(order)
      tally.failed++
      metrics.ordersDone.inc({ outcome: 'failed' })
    }
    return 'settled'
  }

  while (!signal.aborted) {
    if (pool.isPressed()) {
      await Bun.sleep(PRESSED_PAUSE_MS)
      continue
    }
    const batch = await orders.claim(pool.threadsMax * PER_THREAD)
    if (batch.length === 0) break
    worked = true
    const outcomes = await Promise.all(batch.map(one))
    if (outcomes.includes('postponed')) break
    if (performance.now() < reportAt) continue
    reportAt = performance.now() + REPORT_EVERY_MS
    const left = await orders.left()
    metrics.ordersLeft.set(left)
    log.info({ ...tally, left }, 'making cards ahead')
  }
  if (!worked) return
  const left = await orders.left()
  metrics.ordersLeft.set(left)
  log.info({ ...tally, left }, left === 0 ? 'all cards are made ahead' : 'cards are left to be made ahead')
}
