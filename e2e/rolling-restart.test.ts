import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { checkin, restartUnderLoad } from './clients.ts'

const CHECKINS = 40

let stack: ThrowawayStack
const book = ledger()
beforeAll(async () => {
  stack = await startThrowawayStack({ COPIES: '2' })
})
afterAll(() => stack.close())

test(
  'every copy of every service restarts under load, and no client sees a failed request',
  async () => {
    expect(await restartUnderLoad({ stack, book })).toEqual({ failed: [], kept: 1 }) // the gateway
  },
  TEST_TIMEOUT_MS,
)

test(
  'the end drains the journal of every copy of tracking: its outcome includes what only their disks held',
  async () => {
    stack.redis.suspend()
    const taken = await Promise.all(
      Array.from({ length: CHECKINS }, (_, index) =>
        checkin({ stack, book }, { userId: `late-${index}`, index }),
      ),
    ).finally(() => stack.redis.resume())
    expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 202))
    const ended = await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))
    expect(ended.status).toBe(200)
    const { acknowledged, indeterminate, ...found } = await auditPoints(stack.sql, book)
    expect(found).toEqual(NOTHING_WRONG)
    expect(indeterminate).toBe(0)
    expect(ended.body).toMatchObject({ data: { points: acknowledged } })
  },
  TEST_TIMEOUT_MS,
)
