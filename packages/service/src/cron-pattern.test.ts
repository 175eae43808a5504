import { expect, test } from 'bun:test'
import { ConfigurationError, readConfig } from './config.ts'
import { cronPattern } from './cron-pattern.ts'

const read = (pattern?: string) =>
  readConfig({ FLUSH_SCHEDULE: cronPattern('when it is due', '*/5 * * * *') }, { FLUSH_SCHEDULE: pattern })
    .FLUSH_SCHEDULE

test('a pattern with or without seconds is taken, and its default where nothing is given', () => {
  expect([read(), read('0 3 * * 1'), read('*/10 * * * * *')]).toEqual([
    '*/5 * * * *',
    '0 3 * * 1',
    '*/10 * * * * *',
  ])
})

test.each(['nonsense', '* * *', '61 * * * *', '* * * * * * * *'])('%p is refused by its name', (pattern) => {
  expect(() => read(pattern)).toThrow(ConfigurationError)
  expect(() => read(pattern)).toThrow('FLUSH_SCHEDULE must be a cron pattern')
})
