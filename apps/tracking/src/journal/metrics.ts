import { counter, type Metrics } from '@palanquin/service/metrics'

/** What the journal replayed. */
export const replayMetrics = (registry: Metrics) => ({
  replayed: counter(registry, {
    name: 'palanquin_journal_replayed_total',
    help: 'entries that Redis got from the journal because it did not take them at once, or came back without them',
  }),
  damaged: counter(registry, {
    name: 'palanquin_journal_damaged_total',
    help: 'lines of the journal whose sum is wrong, put aside in damaged.log',
  }),
})

export type ReplayMetrics = ReturnType<typeof replayMetrics>
