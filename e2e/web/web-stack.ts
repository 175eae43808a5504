import { afterAll, beforeAll } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type { Browser } from 'playwright-core'
import { HAS_CHROMIUM, openBrowser } from './browser.ts'

/** There once the tests run. */
export type WebStack = { readonly stack: ThrowawayStack; readonly browser: Browser; readonly origin: string }

/** A stack with its pages, and a browser, for the tests of one file. */
export function webStack(
  settings: Record<string, string> = {},
  prepare?: (web: WebStack) => Promise<void>,
): WebStack {
  let stack: ThrowawayStack | undefined
  let browser: Browser | undefined
  const started = <T>(what: T | undefined): T => {
    if (what === undefined) throw new Error('the stack and the browser start before the first test')
    return what
  }
  const web: WebStack = {
    get stack() {
      return started(stack)
    },
    get browser() {
      return started(browser)
    },
    get origin() {
      return started(stack).running().url
    },
  }
  beforeAll(async () => {
    if (!HAS_CHROMIUM) return
    stack = await startThrowawayStack({ LINE: 'stub', ...settings })
    browser = await openBrowser(stack)
    await prepare?.(web)
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.close()
  })
  return web
}
