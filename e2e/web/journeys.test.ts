import { afterAll, beforeAll, expect } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import type { Browser } from 'playwright-core'
import { browserTest, HAS_CHROMIUM, openBrowser, openPage } from './browser.ts'
import { appointPalanquin, BAISHATUN, DAJIA, palanquinAt } from './seed.ts'

let stack: ThrowawayStack
let browser: Browser
beforeAll(async () => {
  if (!HAS_CHROMIUM) return
  stack = await startThrowawayStack({ LINE: 'stub' })
  browser = await openBrowser(stack)
})
afterAll(async () => {
  await browser?.close()
  await stack?.close()
})

const TONGXIAO = '鑾轎在苗栗縣通霄鎮'
const DAJIA_SENTENCE = /鑾轎在[台臺]中市大甲區/

browserTest('a palanquin is appointed, checks in, and moves on the pages that are open', async () => {
  const origin = stack.running().url
  const [home, map] = await Promise.all([openPage(browser, origin), openPage(browser, origin)])
  await home.page.goto(origin)
  await map.page.goto(`${origin}/map`)
  for (const { page } of [home, map]) await page.getByText('目前還沒有鑾轎的位置。').first().waitFor()
  await appointPalanquin(stack)
  await palanquinAt(stack, BAISHATUN)
  for (const { page } of [home, map]) await page.getByText(TONGXIAO).first().waitFor()
  const marker = map.page.locator('.beacon-palanquin')
  await marker.focus()
  expect(await marker.getAttribute('aria-label')).toContain('苗栗縣通霄鎮')
  const before = await marker.boundingBox()
  await palanquinAt(stack, DAJIA)
  for (const { page } of [home, map]) await page.getByText(DAJIA_SENTENCE).first().waitFor()
  await until(async () => ((await marker.boundingBox())?.y ?? 0) > (before?.y ?? 0) + 5, {
    what: 'the marker further south',
  })
  expect(await marker.getAttribute('aria-label')).toContain('大甲區')
  for (const { close, problems } of [home, map]) {
    await close()
    expect(problems).toEqual([])
  }
})
