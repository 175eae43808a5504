import { expect, test } from 'bun:test'
import { logCalls, productionCalls } from './log-calls.ts'
import { eventTables } from './reference.ts'

test('every log call of production has an event code and a message', () => {
  const calls = productionCalls()
  expect(calls.length).toBeGreaterThan(150)
  expect(calls.filter(({ event, message }) => event === '' || message === '')).toEqual([])
})

const callsIn = (text: string) => logCalls([{ file: 'a.ts', text }])

test.each([
  ['no fields', `log.info('Flushed')`],
  ['fields without a code', `part.log.warn({ userId }, 'Flushed')`],
  ['a code of one word', `log.error({ event: 'flushed' }, 'Flushed')`],
  ['a code in capitals', `log.error({ event: 'Flush.completed' }, 'Flushed')`],
  ['a code that is put together at run time', 'log.debug({ event: name }, `Flushed`)'],
  ['a level that is chosen at run time', `parts.log[level]({ userId }, 'Flushed')`],
])('the check catches a log call with %s', (_, text) => {
  expect(callsIn(text).map(({ event }) => event)).toEqual([''])
})

test('each code is listed once, with its messages, at its highest level; what is no log call is none', () => {
  const calls = callsIn(`
    log.warn({ event: 'redis.lost', err: { message } }, \`Redis at \${url} is away\`)
    log.debug({ event: 'redis.lost' }, 'Redis is still away'); Math.log(2); console.info('x')
    log.debug({ event: 'redis.asked' }, 'Redis is asked')
    const line = { level: 'error', service, event: 'log.lines_dropped', lines, msg: 'Lines dropped' }`)
  expect(
    eventTables(calls)
      .split('\n')
      .filter((line) => /^#|`/.test(line)),
  ).toEqual([
    '## error',
    '| `log.lines_dropped` | Lines dropped |',
    '## warn',
    '| `redis.lost` | Redis at … is away; Redis is still away |',
    '## debug',
    '`redis.asked`',
  ])
})
