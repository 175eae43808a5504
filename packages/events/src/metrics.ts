import { EVENT_TYPES } from '@palanquin/domain/events'
import { counter, type Metrics } from '@palanquin/service/metrics'
import { Gauge } from 'prom-client'

/** What came of a delivery: `failed` is tried again, `lost` was trimmed before it was read. */
export const OUTCOMES = ['done', 'ignored', 'failed', 'dead', 'lost'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What a consumer group does, as Prometheus sees it. */
export const consumerMetrics = (registry: Metrics, group: string) => ({
  consumed: counter(registry, {
    name: 'palanquin_events_consumed_total',
    help: 'deliveries of events to a consumer group, by outcome',
    labels: { group: [group], type: [...EVENT_TYPES, 'unknown'], outcome: OUTCOMES },
  }),
  dead: deadLetterMetric(registry, { stream: 'events', group }),
  lag: lagGauge(registry),
})
export type ConsumerMetrics = ReturnType<typeof consumerMetrics>

/** One gauge for all groups of a process. */
function lagGauge(registry: Metrics): Gauge<'group'> {
  const known = registry.getSingleMetric('palanquin_events_lag')
  return known instanceof Gauge
    ? known
    : new Gauge({
        name: 'palanquin_events_lag',
        help: 'entries of the bus that a consumer group has neither done nor given up',
        labelNames: ['group'],
        registers: [registry],
      })
}

/** What an outbox relay does. */
export const relayMetrics = (registry: Metrics, schema: string) => ({
  published: counter(registry, {
    name: 'palanquin_events_published_total',
    help: 'events written to the bus',
    labels: { type: EVENT_TYPES },
  }),
  failures: counter(registry, {
    name: 'palanquin_outbox_failures_total',
    help: 'passes over the outbox that ended early, mostly because a store was away; the rows stay for the next one',
    labels: { schema: [schema] },
  }),
})

/** Counts what was put to the dead letters of a stream. */
export function deadLetterMetric(
  registry: Metrics,
  { stream, group }: { stream: string; group: string },
): { inc: () => void } {
  const dead = counter(registry, {
    name: 'palanquin_dead_letters_total',
    help: 'events and messages that a group could not handle and put to the dead letters',
    labels: { stream: [stream], group: [group] },
  })
  return { inc: () => dead.inc({ stream, group }) }
}
