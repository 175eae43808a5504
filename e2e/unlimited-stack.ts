import { afterAll, beforeAll } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

/**
 * One stack for the cases of unlimited.test.ts, there once they run. Shuffled, small and repeated batches are hundreds of
 * syncs a minute, and the hostile corpus is more than thirty calls a minute of each administrator.
 */
export let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ RATE_LIMITS: 'off' })
})
afterAll(() => stack.close())
