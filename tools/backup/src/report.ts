import type { Manifest } from './manifest.ts'

const count = (value: number, what: string): string => `${value.toLocaleString('en-US')} ${what}`

/** The content of a backup, as sentences for an operator. */
export function inSentences({ takenAt, tables, points, objects, streams }: Manifest): string {
  const rowsOf = (name: string) => tables.find((table) => table.name === name)?.rows ?? 0
  const all = tables.reduce((sum, { rows }) => sum + rows, 0)
  const events = streams.reduce((sum, { entries }) => sum + entries, 0)
  const parts = [
    count(rowsOf('engagement.participants'), 'participants'),
    count(points ?? rowsOf('tracking.points'), 'points'),
    `${count(all, 'rows')} in all`,
    `${count(objects.count, 'pictures')} of ${(objects.bytes / 1e6).toFixed(1)} MB`,
    count(events, 'events under way'),
  ]
  return `${parts.join(', ')}; of ${takenAt}.`
}
