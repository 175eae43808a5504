import { counter, histogram, type Metrics } from '@palanquin/service/metrics'
import { Gauge } from 'prom-client'

const FLUSH_BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300]

/** The metrics of the flush. */
export function flushMetrics(registry: Metrics) {
  const points = counter(registry, {
    name: 'palanquin_flush_points_total',
    help: 'points of the buffer that a flush stored, by whether they were new',
    labels: { new: ['yes', 'no'] },
  })
  const setAside = counter(registry, {
    name: 'palanquin_flush_set_aside_total',
    help: 'entries and points that could not be stored',
  })
  const late = counter(registry, {
    name: 'palanquin_flush_late_total',
    help: 'participants whose track became a case for a rebuild',
  })
  return {
    stored: (outcome: { points: number; inserted: number; setAside: number; late: number }) => {
      points.inc({ new: 'yes' }, outcome.inserted)
      points.inc({ new: 'no' }, Math.max(0, outcome.points - outcome.inserted))
      setAside.inc(outcome.setAside)
      late.inc(outcome.late)
    },
    rebuilds: counter(registry, {
      name: 'palanquin_flush_rebuilds_total',
      help: 'tracks rebuilt from stored points',
    }),
    unreadable: counter(registry, {
      name: 'palanquin_flush_unreadable_total',
      help: 'rows that could not be read and were set aside: a track, a checkpoint, the points of a track',
      labels: { what: ['track', 'checkpoint', 'points'] },
    }),
    rewinds: counter(registry, {
      name: 'palanquin_flush_rewinds_total',
      help: 'batches that were older than the cursor: Redis lost data, or its clock is behind',
    }),
    emptied: counter(registry, {
      name: 'palanquin_buffer_emptied_total',
      help: 'times that Redis came back without its data',
    }),
    failures: counter(registry, {
      name: 'palanquin_flush_failures_total',
      help: 'flushes that ended early, mostly because a store was away; the next one goes on',
    }),
    seconds: histogram(registry, {
      name: 'palanquin_flush_duration_seconds',
      help: 'time of a whole flush',
      labels: { outcome: ['whole', 'failed'] },
      buckets: FLUSH_BUCKETS_S,
    }),
    lastAt: new Gauge({
      name: 'palanquin_flush_last_timestamp_seconds',
      help: 'when the last whole flush ended',
      registers: [registry],
    }),
  }
}

export type FlushMetrics = ReturnType<typeof flushMetrics>
