import type { Metrics } from '@palanquin/service/metrics'
import { Counter, Gauge, Histogram } from 'prom-client'

const STAGE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** The figures of the cards. */
export const cardMetrics = (metrics: Metrics) => ({
  /** By where it came from: memory, object store, or the renderer. */
  answered: new Counter({
    name: 'cards_answered_total',
    help: 'cards by where they came from',
    labelNames: ['source'],
    registers: [metrics],
  }),
  stages: new Histogram({
    name: 'card_render_seconds',
    help: 'time of a card in layout, raster and encode',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS_S,
    registers: [metrics],
  }),
  workers: new Gauge({ name: 'card_workers', help: 'threads that draw cards now', registers: [metrics] }),
  waiting: new Gauge({
    name: 'card_queue_length',
    help: 'cards that wait for a thread',
    labelNames: ['priority'],
    registers: [metrics],
  }),
  failures: new Counter({
    name: 'card_worker_failures_total',
    help: 'threads that crashed or hung and were replaced',
    registers: [metrics],
  }),
  refused: new Counter({
    name: 'cards_refused_total',
    help: 'cards refused because the queue was full',
    registers: [metrics],
  }),
  ordersDone: new Counter({
    name: 'card_orders_done_total',
    help: 'cards made ahead, by outcome: made, current, unknown, failed',
    labelNames: ['outcome'],
    registers: [metrics],
  }),
  ordersLeft: new Gauge({
    name: 'card_orders_left',
    help: 'cards that are still to be made ahead',
    registers: [metrics],
  }),
})

export type CardMetrics = ReturnType<typeof cardMetrics>
