import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { eventTable, productionCalls, withoutEvent } from './event-table.ts'
import { logCalls } from './log-calls.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const docs = readFileSync(join(PROJECT_ROOT, 'docs/operations.md'), 'utf8')
const table = /<!-- events -->\n([\s\S]*?)\n<!-- \/events -->/.exec(docs)?.[1]

test('every log call of production has an event code', () => {
  const calls = productionCalls()
  expect(calls.length).toBeGreaterThan(50)
  expect(withoutEvent(calls)).toEqual([])
})

test('docs/operations.md lists the events: bun tools/lint/src/list-events.ts', () => {
  expect(table?.trim()).toBe(eventTable(productionCalls()))
})

const callsIn = (text: string) => logCalls([{ file: 'a.ts', text }])

test.each([
  ['no fields', `log.info('Flushed')`],
  ['fields without a code', `part.log.warn({ userId }, 'Flushed')`],
  ['a code of one word', `log.error({ event: 'flushed' }, 'Flushed')`],
  ['a code in capitals', `log.error({ event: 'Flush.completed' }, 'Flushed')`],
  ['a code that is put together at run time', 'log.debug({ event: name }, `Flushed`)'],
  ['a level that is chosen at run time', `parts.log[level]({ userId }, 'Flushed')`],
  ['one of two codes', `log.info({ event: ok ? 'flush.completed' : 'failed' }, 'Flushed')`],
])('the check catches a log call with %s', (_, text) => {
  expect(withoutEvent(callsIn(text))).toHaveLength(1)
})

test('the check lets a code pass, and what is no log call', () => {
  const text = `log.info({ event: 'flush.completed', points }, 'Flush completed'); Math.log(2); console.info('x')`
  expect(callsIn(text)).toHaveLength(1)
  expect(withoutEvent(callsIn(text))).toEqual([])
})

test('the table has a row for each code, with its levels, files and messages', () => {
  const calls = callsIn(`
    log.warn({ event: away ? 'redis.lost' : 'redis.restored' }, away ? 'Redis is away' : 'Redis is back')
    log.debug({ event: 'redis.lost' }, 'Redis is still away')
    const line = { level: 'warn', event: 'log.lines_dropped', msg: 'Lines dropped' }`)
  expect(eventTable(calls).split('\n').slice(2)).toEqual([
    '| `log.lines_dropped` | warn | a.ts | Lines dropped |',
    '| `redis.lost` | debug, warn | a.ts | Redis is away, Redis is still away |',
    '| `redis.restored` | warn | a.ts | Redis is back |',
  ])
})
