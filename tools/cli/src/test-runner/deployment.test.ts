import { expect, test } from 'bun:test'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { deploymentOf } from './deployment.ts'

test('without flags the tests use one Redis server and one process per service', () => {
  expect(deploymentOf({}, {}).env).toEqual({ TEST_REDIS: 'server', TEST_COPIES: '1' })
})

test('flags, or else the variables, choose the deployment, which gets more time', () => {
  const wanted = { TEST_REDIS: 'cluster', TEST_COPIES: '2' }
  const plain = deploymentOf({}, {})
  for (const deployment of [deploymentOf({ redis: 'cluster', copies: '2' }, {}), deploymentOf({}, wanted)]) {
    expect(deployment.env).toEqual(wanted)
    expect(deployment.deadlineMs).toBeGreaterThan(plain.deadlineMs)
    expect(deployment.checksAtOnce).toBeLessThan(plain.checksAtOnce)
  }
  expect(deploymentOf({ redis: 'server', copies: '1' }, wanted)).toEqual(plain)
})

test.each([{ redis: 'sentinel' }, { copies: '0' }, { copies: '10' }, { copies: 'two' }])(
  '%j is a usage error',
  (asked) => expect(() => deploymentOf(asked, {})).toThrow(LauncherError),
)
