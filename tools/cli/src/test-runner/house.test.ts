import { expect, test } from 'bun:test'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { houseOf } from './house.ts'

test('without flags the tests run on one server and one process of each service', () => {
  expect(houseOf({}, {}).env).toEqual({ TEST_REDIS: 'server', TEST_COPIES: '1' })
})

test('flags, or else the variables, say what it is instead; it has more time then', () => {
  const wanted = { TEST_REDIS: 'cluster', TEST_COPIES: '2' }
  const plain = houseOf({}, {})
  for (const house of [houseOf({ redis: 'cluster', copies: '2' }, {}), houseOf({}, wanted)]) {
    expect(house.env).toEqual(wanted)
    expect(house.deadlineMs).toBeGreaterThan(plain.deadlineMs)
    expect(house.checksAtOnce).toBeLessThan(plain.checksAtOnce)
  }
  expect(houseOf({ redis: 'server', copies: '1' }, wanted)).toEqual(plain)
})

test.each([{ redis: 'sentinel' }, { copies: '0' }, { copies: '10' }, { copies: 'two' }])(
  '%j is a usage error',
  (asked) => expect(() => houseOf(asked, {})).toThrow(LauncherError),
)
