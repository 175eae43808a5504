import type { Page } from 'playwright-core'

/** With reduced motion every step of the zoom is done at once. */
export const CALM = { reducedMotion: 'reduce' } as const

/** Follows the palanquin, which shows it at zoom 13, and zooms in to 15. */
export async function zoomToPeople(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/map?lang=zh-TW`)
  await page.locator('.beacon-palanquin').waitFor()
  await page.getByRole('button', { name: '跟著鑾轎' }).click()
  await page.getByRole('button', { name: '正在跟著鑾轎', pressed: true }).waitFor()
  for (const _ of [14, 15]) await page.getByRole('button', { name: '放大' }).click()
}
