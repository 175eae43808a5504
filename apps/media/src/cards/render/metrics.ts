import { counter, histogram, type Metrics } from '@palanquin/service/metrics'
import { Gauge } from 'prom-client'

const STAGE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** The metrics of the cards. */
export const cardMetrics = (metrics: Metrics) => ({
  answered: counter(metrics, {
    name: 'palanquin_cards_answered_total',
    help: 'cards by where they came from',
    labels: { source: ['memory', 'objects', 'renderer'] },
  }),
  stages: histogram(metrics, {
    name: 'palanquin_card_render_duration_seconds',
    help: 'time of a card in layout, raster and encode',
    labels: { stage: ['layout', 'raster', 'encode'] },
    buckets: STAGE_BUCKETS_S,
  }),
  workers: new Gauge({
    name: 'palanquin_card_workers',
    help: 'threads that render cards now',
    registers: [metrics],
  }),
  waiting: new Gauge({
    name: 'palanquin_card_queue_length',
    help: 'cards that wait for a thread',
    labelNames: ['priority'],
    registers: [metrics],
  }),
  failures: counter(metrics, {
    name: 'palanquin_card_worker_failures_total',
    help: 'threads that crashed or hung and were replaced',
  }),
  refused: counter(metrics, {
    name: 'palanquin_cards_refused_total',
    help: 'cards refused because the queue was full',
  }),
  ordersDone: counter(metrics, {
    name: 'palanquin_card_orders_done_total',
    help: 'pre-rendered cards by outcome',
    labels: { outcome: ['made', 'current', 'unknown', 'failed'] },
  }),
  ordersLeft: new Gauge({
    name: 'palanquin_card_orders_left',
    help: 'cards that are still to be pre-rendered',
    registers: [metrics],
  }),
})

export type CardMetrics = ReturnType<typeof cardMetrics>
