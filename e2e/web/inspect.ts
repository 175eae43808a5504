import { expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from './axe.ts'
import { openPage, overflow } from './browser.ts'

/** Failed requests belong to the states of trouble. */
export const TROUBLE = /Failed to load resource/

/** The text of a page without its bar. */
export const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? ''

/** What is on the page now: axe finds nothing, light and dark, and it is not wider than the phone. */
export async function inspectPresent(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
  }
  expect(await overflow(page)).toBe(0)
}

/** Opens a page, waits until it says `what`, inspects it, and gives its text. */
export async function inspect(
  browser: Browser,
  url: URL,
  { what, prepare }: { what: string; prepare?: (page: Page) => Promise<unknown> },
): Promise<string> {
  const { page, problems, close } = await openPage(browser, url.origin, { expected: TROUBLE })
  await prepare?.(page)
  await page.goto(url.href)
  await page.getByText(what).first().waitFor()
  await inspectPresent(page)
  const text = await textOf(page)
  await close()
  expect(problems).toEqual([])
  return text
}
