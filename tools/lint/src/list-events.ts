import { eventTable, productionCalls, withoutEvent } from './event-table.ts'

/** Prints the table of log events for docs/operations.md; calls without a code go to standard error. */
const calls = productionCalls()
for (const { file, level, message } of withoutEvent(calls))
  console.error(`no event: ${file} ${level} ${message}`)
console.log(eventTable(calls))
