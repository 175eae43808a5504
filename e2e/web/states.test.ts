import { afterAll, beforeAll, expect } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import type { Browser, Page } from 'playwright-core'
import { violations } from './axe.ts'
import { browserTest, HAS_CHROMIUM, openBrowser, openPage, overflow } from './browser.ts'
import { appointPalanquin, BAISHATUN, CARRIER } from './seed.ts'

/** Each test starts from the state that the one before it left, as an activity does. */
let stack: ThrowawayStack
let browser: Browser
beforeAll(async () => {
  if (!HAS_CHROMIUM) return
  stack = await startThrowawayStack({ LINE: 'stub', RATE_LIMITS: 'off' })
  browser = await openBrowser(stack)
})
afterAll(async () => {
  await browser?.close()
  await stack?.close()
})

/** Failed requests belong to the states of trouble. */
const TROUBLE = /Failed to load resource/
const bodyOf = (page: Page) => page.locator('main')

/** Opens a page, waits for its state, and inspects that state light and dark. */
async function inspect(
  path: string,
  what: string,
  { prepare }: { prepare?: (page: Page) => Promise<unknown> } = {},
): Promise<string> {
  const origin = stack.running().url
  const { page, problems, close } = await openPage(browser, origin, { expected: TROUBLE })
  await prepare?.(page)
  await page.goto(origin + path)
  await page.getByText(what).first().waitFor()
  await inspectPresent(page)
  const text = (await bodyOf(page).textContent()) ?? ''
  await close()
  expect(problems).toEqual([])
  return text
}
async function inspectPresent(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
  }
  expect(await overflow(page)).toBe(0)
}
const BOTH = ['/', '/map'] as const

browserTest('loading: the frame stands while nothing has been answered', async () => {
  const hold = (page: Page) => page.context().route('**/api/**', () => {})
  for (const path of BOTH) await inspect(path, '正在查詢鑾轎的位置', { prepare: hold })
})

browserTest('stale: a position older than a minute is shown with its age', async () => {
  await appointPalanquin(stack)
  const points = [{ ...BAISHATUN, recordedAt: Date.now() - 5 * 60_000, accuracy: 8 }]
  await stack.api.post('/track/sync', { userId: CARRIER, points })
  const isListed = async () => JSON.stringify((await stack.api.get('/beacons')).body).includes('"lat"')
  await until(isListed, { what: 'the palanquin in the list of beacons' })
  for (const path of BOTH) {
    expect(await inspect(path, '分鐘前的資料')).toContain('通霄鎮')
    await inspect(`${path}?lang=en`, 'it may have moved on')
  }
})

browserTest('offline: what was last known stands, with its time, until the network is back', async () => {
  const origin = stack.running().url
  for (const path of BOTH) {
    const { page, problems, close } = await openPage(browser, origin, { expected: TROUBLE })
    await page.goto(origin + path)
    await page.locator('.where-place').waitFor()
    await page.context().setOffline(true)
    await page.getByText('沒有網路').first().waitFor()
    expect((await bodyOf(page).textContent()) ?? '').toMatch(
      /鑾轎在苗栗縣通霄鎮[\s\S]*顯示的是 .*\d\d:\d\d 的資料/,
    )
    await inspectPresent(page)
    await page.context().setOffline(false)
    await page.locator('.banner-offline').waitFor({ state: 'detached' })
    await close()
    expect(problems).toEqual([])
  }
})
