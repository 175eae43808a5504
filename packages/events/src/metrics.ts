import type { Metrics } from '@palanquin/service/metrics'
import { Counter, Gauge } from 'prom-client'

/** How the bus fares, as Prometheus sees it. */
export type EventMetrics = {
  published: Counter<'type'>
  /** `outcome`: done, ignored, failed (it will be tried again), dead, lost (trimmed before it was read). */
  consumed: Counter<'group' | 'type' | 'outcome'>
  /** Entries that a group has neither done nor given up. */
  lag: Gauge<'group'>
}

const created = new WeakMap<Metrics, EventMetrics>()

/** The figures of the bus in a process's registry, made once. */
export function eventMetrics(registry: Metrics): EventMetrics {
  const known = created.get(registry)
  if (known) return known
  const registers = [registry]
  const fresh: EventMetrics = {
    published: new Counter({
      name: 'events_published_total',
      help: 'events written to the bus',
      labelNames: ['type'],
      registers,
    }),
    consumed: new Counter({
      name: 'events_consumed_total',
      help: 'deliveries of events to a consumer group, by outcome',
      labelNames: ['group', 'type', 'outcome'],
      registers,
    }),
    lag: new Gauge({
      name: 'events_lag',
      help: 'entries of the bus that a consumer group has neither done nor given up',
      labelNames: ['group'],
      registers,
    }),
  }
  created.set(registry, fresh)
  return fresh
}
