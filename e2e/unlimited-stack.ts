import { afterAll, beforeAll } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

/** One stack for the cases of unlimited.test.ts, there once they run. */
export let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ RATE_LIMITS: 'off' })
})
afterAll(() => stack.close())
