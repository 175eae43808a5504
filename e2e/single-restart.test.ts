import { afterAll, beforeAll, expect, test } from 'bun:test'
import { unexplained } from '@palanquin/stack/testing/restart-failures'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { restartUnderLoad } from './clients.ts'

let stack: ThrowawayStack
const book = ledger()
beforeAll(async () => {
  stack = await startThrowawayStack({ COPIES: '1' })
})
afterAll(() => stack.close())

test(
  'the only copy of each service restarts under load, and no client notices: requests wait until it is back',
  async () => {
    const { failed, kept } = await restartUnderLoad({ stack, book })
    expect([unexplained(failed, stack), kept]).toEqual([[], 1]) // the gateway

    // Every acknowledged request was done once.
    await until(
      async () => {
        const { acknowledged, indeterminate, ...found } = await auditPoints(stack.sql, book)
        expect(found).toEqual(NOTHING_WRONG)
        expect(indeterminate).toBeLessThanOrEqual(failed.length)
        return acknowledged > 0
      },
      { what: 'everything that was answered is stored once' },
    )
  },
  TEST_TIMEOUT_MS,
)
