import { afterAll, beforeAll, expect, test } from 'bun:test'
import { unexplained } from '@palanquin/stack/testing/restart-failures'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { checkin, restartUnderLoad } from './clients.ts'

const CHECKINS = 40

let stack: ThrowawayStack
const book = ledger()
/** Of requests during restarts that took longer than requests wait. */
let failures = 0
beforeAll(async () => {
  stack = await startThrowawayStack({ COPIES: '2' })
})
afterAll(() => stack.close())

test(
  'every copy of every service restarts under load, and no client sees a failed request',
  async () => {
    const { failed, kept } = await restartUnderLoad({ stack, book })
    failures = failed.length
    expect([unexplained(failed, stack), kept]).toEqual([[], 1]) // the gateway
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
    const { acknowledged: _, indeterminate, ...found } = await auditPoints(stack.sql, book)
    expect(found).toEqual(NOTHING_WRONG)
    expect(indeterminate).toBeLessThanOrEqual(failures)
    const [stored] = await stack.sql`SELECT count(*)::int AS points FROM tracking.all_points`
    expect(ended.body).toMatchObject({ data: { points: stored?.points } })
  },
  TEST_TIMEOUT_MS,
)
