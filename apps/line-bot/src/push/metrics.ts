import type { Metrics } from '@palanquin/service/metrics'
import { Counter } from 'prom-client'

/** What operators watch of sending. */
export function pushMetrics(registry: Metrics) {
  return {
    people: new Counter({
      name: 'line_push_recipients_total',
      help: 'people that pushes addressed, by what became of it',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    calls: new Counter({
      name: 'line_push_calls_total',
      help: 'calls of the chat platform that send, by what it answered',
      labelNames: ['outcome'],
      registers: [registry],
    }),
  }
}

export type PushMetrics = ReturnType<typeof pushMetrics>
