import { counter, type Metrics } from '@palanquin/service/metrics'

/** The metrics of the packer. */
export const packMetrics = (registry: Metrics) => ({
  points: counter(registry, {
    name: 'palanquin_packed_points_total',
    help: 'points that were packed, an hour of a participant at a time; again after late points',
  }),
})

export type PackMetrics = ReturnType<typeof packMetrics>
