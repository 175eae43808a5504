import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { browserTest, evaluate, openPage } from './browser.ts'
import { TRANSLATE } from './habits.ts'
import { web } from './plain.ts'
import { appointPalanquin, BAISHATUN, DAJIA, palanquinAt } from './seed.ts'

const TONGXIAO = '鑾轎在苗栗縣通霄鎮'
const DAJIA_SENTENCE = /鑾轎在[台臺]中市大甲區/

browserTest('a palanquin is appointed, checks in, and moves on the pages that are open', async () => {
  const origin = web.origin
  const [home, map] = await Promise.all([openPage(web.browser, origin), openPage(web.browser, origin)])
  await home.page.goto(origin)
  await map.page.goto(`${origin}/map`)
  for (const { page } of [home, map]) await page.getByText('目前還沒有鑾轎的位置。').first().waitFor()
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, BAISHATUN)
  for (const { page } of [home, map]) await page.getByText(TONGXIAO).first().waitFor()
  const marker = map.page.locator('.beacon-palanquin')
  await marker.focus()
  expect(await marker.getAttribute('aria-label')).toContain('苗栗縣通霄鎮')
  const before = await marker.boundingBox()
  await palanquinAt(web.stack, DAJIA)
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

browserTest('a translated map goes on saying where the palanquin is', async () => {
  const { page, problems, close } = await openPage(web.browser, web.origin)
  await page.goto(`${web.origin}/map?lang=zh-TW`)
  await page.getByText(DAJIA_SENTENCE).first().waitFor()
  await evaluate(page, TRANSLATE)
  const where = page.locator('.where')
  await where.getByText(/^⟦鑾轎在.*大甲區⟧$/).waitFor()
  await palanquinAt(web.stack, { ...BAISHATUN, lat: BAISHATUN.lat - 0.001 })
  await where.getByText(`⟦${TONGXIAO}⟧`).waitFor()
  expect(await where.textContent()).not.toContain('大甲')
  await close()
  expect(problems).toEqual([])
})
