import type { Metrics } from '@palanquin/service/metrics'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { BatchOutcome } from './batch.ts'

const FLUSH_BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300]

/** What the flush tells an operator. */
export function flushMetrics(registry: Metrics) {
  const registers = [registry]
  const points = new Counter({
    name: 'flush_points_total',
    help: 'points of the buffer that a flush stored, by whether they were new',
    labelNames: ['new'],
    registers,
  })
  const setAside = new Counter({
    name: 'flush_set_aside_total',
    help: 'entries and points that could not be stored',
    registers,
  })
  const late = new Counter({
    name: 'flush_late_total',
    help: 'participants whose track became a case for a rebuild',
    registers,
  })
  return {
    stored: (outcome: BatchOutcome) => {
      points.inc({ new: 'yes' }, outcome.inserted)
      points.inc({ new: 'no' }, Math.max(0, outcome.points - outcome.inserted))
      setAside.inc(outcome.setAside)
      late.inc(outcome.late)
    },
    rebuilds: new Counter({
      name: 'flush_rebuilds_total',
      help: 'tracks rebuilt from stored points',
      registers,
    }),
    rewinds: new Counter({
      name: 'flush_rewinds_total',
      help: 'batches that were older than the cursor: Redis lost data, or its clock is behind',
      registers,
    }),
    emptied: new Counter({
      name: 'buffer_emptied_total',
      help: 'times that Redis came back without its data',
      registers,
    }),
    seconds: new Histogram({
      name: 'flush_seconds',
      help: 'time of a whole flush',
      labelNames: ['outcome'],
      buckets: FLUSH_BUCKETS_S,
      registers,
    }),
    lastAt: new Gauge({
      name: 'flush_last_timestamp_seconds',
      help: 'when the last whole flush ended',
      registers,
    }),
  }
}

export type FlushMetrics = ReturnType<typeof flushMetrics>
