import { counter, type Metrics } from '@palanquin/service/metrics'

/** What operators watch of sending. */
export const pushMetrics = (registry: Metrics) => ({
  people: counter(registry, {
    name: 'palanquin_line_push_recipients_total',
    help: 'people that pushes addressed, by what became of it',
    labels: { outcome: ['sent', 'failed', 'blocked', 'skipped'] },
  }),
  calls: counter(registry, {
    name: 'palanquin_line_push_calls_total',
    help: 'calls of the chat platform that send, by what it answered',
    labels: { outcome: ['ok', 'rate', 'quota', 'invalid', 'blocked', 'unavailable'] },
  }),
})

export type PushMetrics = ReturnType<typeof pushMetrics>
