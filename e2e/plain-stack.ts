import { afterAll, beforeAll } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

/** One stack for the cases of plain.test.ts, with no settings of its own; there once the tests run. */
export let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack()
})
afterAll(() => stack.close())
