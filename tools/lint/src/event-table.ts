import { type LogCall, logCalls } from './log-calls.ts'
import { productionSources } from './sources.ts'

/** `<noun>.<past participle or state>`, words joined by `_`. */
const EVENT = /^[a-z_]+(?:\.[a-z_]+)+$/

/** The log calls of what runs in production. */
export const productionCalls = (): LogCall[] => logCalls(productionSources())

/** Calls without a code, or with one that does not read like a code. */
export const withoutEvent = (calls: readonly LogCall[]): LogCall[] =>
  calls.filter(({ events }) => events.length === 0 || !events.every((event) => EVENT.test(event)))

/** The codes as a table of Markdown: one row for each code, with all that it is written with. */
export function eventTable(calls: readonly LogCall[]): string {
  const rows = new Map<string, { levels: Set<string>; files: Set<string>; messages: Set<string> }>()
  for (const { events, level, file, message } of calls)
    for (const [at, event] of events.entries()) {
      const row = rows.get(event) ?? { levels: new Set(), files: new Set(), messages: new Set() }
      const messages = message.split(' / ')
      row.levels.add(level)
      row.files.add(file)
      row.messages.add((messages.length === events.length ? messages[at] : message) ?? '')
      rows.set(event, row)
    }
  const lines = [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([event, { levels, files, messages }]) => {
      const cells = [
        `\`${event}\``,
        ...[levels, files, messages].map((texts) => [...texts].sort().join(', ')),
      ]
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
  return ['| Event | Level | Where | Message |', '|---|---|---|---|', ...lines].join('\n')
}
