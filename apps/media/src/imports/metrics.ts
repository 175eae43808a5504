import { counter, type Metrics } from '@palanquin/service/metrics'
import type { Report } from './report.ts'

const OUTCOMES = ['done', 'unreadable', 'denied', 'spent', 'gave_up'] as const
export type ImportOutcome = (typeof OUTCOMES)[number]

/** How imports end, and what became of their points. */
export function importMetrics(metrics: Metrics) {
  const imports = counter(metrics, {
    name: 'palanquin_imports_total',
    help: 'files that people imported, by outcome',
    labels: { outcome: [...OUTCOMES] },
  })
  const points = counter(metrics, {
    name: 'palanquin_imported_points_total',
    help: 'points of imported files, by outcome',
    labels: { outcome: ['stored', 'duplicate', 'too_old', 'invalid'] },
  })
  return {
    ended: (outcome: ImportOutcome, { stored, duplicates, tooOld, invalid }: Report): void => {
      imports.inc({ outcome })
      points.inc({ outcome: 'stored' }, stored)
      points.inc({ outcome: 'duplicate' }, duplicates)
      points.inc({ outcome: 'too_old' }, tooOld)
      points.inc({ outcome: 'invalid' }, invalid)
    },
  }
}

export type ImportMetrics = ReturnType<typeof importMetrics>
