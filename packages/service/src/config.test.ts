import { expect, test } from 'bun:test'
import {
  COMMON_VARIABLES,
  ConfigurationError,
  integer,
  listOf,
  readConfig,
  SERVICE_VARIABLES,
  text,
  timeZone,
  toggle,
} from './config.ts'

const VARIABLES = {
  ADDRESS: text('where the store is'),
  PORT: integer('port', { minimum: 0, maximum: 65535, default: 8443 }),
  GUARD: toggle('a switch', 'off'),
}

test('defaults are filled in and numerals become numbers', () => {
  expect(readConfig(VARIABLES, { ADDRESS: 'redis://x', PORT: '9' })).toEqual({
    ADDRESS: 'redis://x',
    PORT: 9,
    GUARD: 'off',
  })
})

test('an empty variable counts as left out', () => {
  expect(readConfig(VARIABLES, { ADDRESS: 'a', PORT: '' }).PORT).toBe(8443)
})

test('every problem is reported at once, each with what the variable is for', () => {
  try {
    readConfig(VARIABLES, { PORT: '70000', GUARD: 'maybe' })
    throw new Error('accepted')
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    const { problems } = error as ConfigurationError
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(['ADDRESS', 'GUARD', 'PORT'])
    expect(problems.join()).toContain('where the store is')
  }
})

test('a service refuses to start without the internal token and the address of Redis', () => {
  expect(() => readConfig(SERVICE_VARIABLES, {})).toThrow(/INTERNAL_TOKEN.*\n.*REDIS_URL/s)
})

test('a list variable drops blanks', () => {
  expect(listOf(' a, ,b,')).toEqual(['a', 'b'])
  expect(listOf(undefined)).toEqual([])
})

test('a time zone is one of the IANA database; an offset is none', () => {
  const zone = { ZONE: timeZone('whose days', 'Asia/Taipei') }
  expect(readConfig(zone, {}).ZONE).toBe('Asia/Taipei')
  expect(readConfig(zone, { ZONE: 'Europe/Paris' }).ZONE).toBe('Europe/Paris')
  for (const wrong of ['Asia/Nowhere', '+08:00', 'GMT+8', "UTC'"])
    expect(() => readConfig(zone, { ZONE: wrong })).toThrow(/ZONE must be a time zone.*whose days/)
})

test('of a choice it is said what there is to choose from', () => {
  expect(() => readConfig(COMMON_VARIABLES, { NODE_ENV: 'prod' })).toThrow(
    'NODE_ENV is none of development, test, production: ',
  )
})
