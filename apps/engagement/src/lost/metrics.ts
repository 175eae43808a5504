import { LOST_KINDS } from '@palanquin/domain/lost'
import { counter, type Metrics } from '@palanquin/service/metrics'

/** What operators watch of lost and found. */
export const lostMetrics = (registry: Metrics) => ({
  reports: counter(registry, {
    name: 'palanquin_lost_reports_total',
    help: 'reports of people who are missing or were found, repeated ones too',
    labels: { kind: LOST_KINDS },
  }),
})

export type LostMetrics = ReturnType<typeof lostMetrics>
