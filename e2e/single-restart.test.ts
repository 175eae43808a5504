import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rollingRestart } from '@palanquin/stack/rolling-restart'
import { GATEWAY } from '@palanquin/stack/services'
import { setOut, type ThrowawayStack } from '@palanquin/stack/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { callingDuring } from './clients.ts'

let stack: ThrowawayStack
const book = ledger()
beforeAll(async () => {
  stack = await setOut({ COPIES: '1' })
})
afterAll(() => stack.close())

test(
  'the only copy of each service restarts under load, and no client sees it: calls are held until it is back',
  async () => {
    const pids = () => Object.values(stack.running().services).map(({ pid }) => pid)
    const before = new Set(pids())
    const names = Object.keys(stack.running().services).filter((name) => name !== GATEWAY)
    const { failed, answered } = await callingDuring({ stack, book }, () =>
      rollingRestart(stack.home, { names, tell: () => {} }),
    )
    expect(pids().filter((pid) => before.has(pid))).toHaveLength(1) // the gateway
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(100)

    // What was answered was done, once.
    await until(
      async () => {
        const { acknowledged, indeterminate, ...found } = await auditPoints(stack.sql, book)
        expect([found, indeterminate]).toEqual([NOTHING_WRONG, 0])
        return acknowledged > 0
      },
      { what: 'everything that was answered is stored once' },
    )
  },
  HANG_MS,
)
