import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { browserTest, openPage } from './browser.ts'
import { appointPalanquin, DAJIA, palanquinAt } from './seed.ts'
import { webStack } from './web-stack.ts'
import { CALM, zoomToPeople } from './zoom.ts'

const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, DAJIA)
  for (const [userId, visibility] of Object.entries(PEOPLE)) await appear(userId, visibility)
  await until(async () => JSON.stringify((await web.stack.api.get('/data')).body).includes('"total":3'), {
    what: 'three dots',
  })
})

const PEOPLE = { mei: 'named', hao: 'named', anon: 'anonymous', crowd: 'crowd' }
/** Some 55 metres west of the palanquin, so that its marker covers no participant. */
const WEST = { lat: DAJIA.lat, lng: DAJIA.lng - 0.00055 }

async function appear(userId: string, visibility: string): Promise<void> {
  await web.stack.api.post('/user/sync', { userId, displayName: `林${userId}` })
  await web.stack.api.post('/privacy', { userId, consent: true, visibility })
  const at = userId === 'mei' ? WEST : { lat: DAJIA.lat + 0.001, lng: DAJIA.lng + 0.001 }
  await web.stack.api.post('/checkin', { userId, ...at, accuracy: 9 })
}

const sentence = (page: Page) => page.locator('#panel-map .map-people')

browserTest(
  'people who chose to be seen are dots from close by; a tap, or the text, says the name',
  async () => {
    const { page, problems, close } = await openPage(web.browser, web.origin, CALM)
    await zoomToPeople(page, web.origin)
    await sentence(page).getByText('這裡有 3 人', { exact: true }).waitFor()

    const card = page.locator('.map-person')
    await until(
      async () => {
        const marker = await page.locator('.beacon-palanquin').boundingBox()
        if (!marker) return false
        // The marker's tip is where the palanquin is; at zoom 15 a pixel is some 2.2 metres.
        await page.mouse.click(marker.x - 25, marker.y + marker.height - 1)
        return (await card.count()) > 0
      },
      { what: 'a tap that finds the dot' },
    )
    expect(await card.textContent()).toContain('林mei')
    await card.getByRole('button', { name: '關閉' }).click()
    expect(await card.count()).toBe(0)

    await page.getByRole('tab', { name: '文字' }).click()
    const text = await page.locator('#panel-text').textContent()
    expect(text).toContain('林mei')
    expect(text).toContain('林hao')
    for (const hidden of ['林anon', '林crowd']) expect(text).not.toContain(hidden)
    await close()
    expect(problems).toEqual([])
  },
)

browserTest('who chooses the crowd alone leaves the maps that are open', async () => {
  const { page, problems, close } = await openPage(web.browser, web.origin, CALM)
  await zoomToPeople(page, web.origin)
  await sentence(page).getByText('這裡有 3 人', { exact: true }).waitFor()
  await web.stack.api.post('/privacy', { userId: 'hao', consent: true, visibility: 'crowd' })
  await sentence(page).getByText('這裡有 2 人', { exact: true }).waitFor()
  await web.stack.api.post('/privacy', { userId: 'hao', consent: true, visibility: 'named' })
  await sentence(page).getByText('這裡有 3 人', { exact: true }).waitFor()
  await close()
  expect(problems).toEqual([])
})

browserTest('where the graphics context is lost the page says so, and can try again', async () => {
  const { page, close } = await openPage(web.browser, web.origin, { expected: /WebGL|context/i })
  await page.goto(`${web.origin}/map`)
  await page.locator('.beacon-palanquin').waitFor()
  await page.evaluate(
    "document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()",
  )
  await page.getByText('這裡無法顯示地圖').waitFor()
  const again = page.getByRole('button', { name: '再試一次地圖' })
  const palanquin = page.locator('.beacon-palanquin')
  await again.click()
  // A busy machine may take the next graphics context away as well: then the page offers it once more.
  for (;;) {
    await palanquin.or(again).first().waitFor()
    if (await palanquin.isVisible()) break
    await again.click()
  }
  await close()
})
