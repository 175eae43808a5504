import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { violations } from './axe.ts'
import { browserTest, evaluate, openPage, SIZES } from './browser.ts'
import { web } from './guided.ts'
import { TROUBLE } from './inspect.ts'
import { pixelsLike } from './pixels.ts'
import { MARKUP } from './seed.ts'

/** The route over land, in light, and the land itself: see apps/web/src/map/style.ts. */
const ROUTE_COLOUR = [215, 185, 135] as const
const DAJIA_SENTENCE = /鑾轎在[台臺]中市大甲區/
const LAND = { light: [251, 243, 230], dark: [42, 34, 68] } as const

browserTest('crowd, places, notices and the route appear; markup of an organiser is text', async () => {
  const origin = web.origin
  const { page, problems, close } = await openPage(web.browser, origin)
  await page.goto(`${origin}/map`)
  await page.getByText('台1線請靠右行走。').waitFor()
  expect((await page.locator('.notices').textContent()) ?? '').toContain(MARKUP)
  await page.locator('.beacon-palanquin').waitFor()
  await until(async () => (await pixelsLike(page, ROUTE_COLOUR)) > 10, { what: 'the route on the map' })
  // An open map turns dark with the phone, and light again, and keeps what is on it.
  for (const [scheme, other] of [
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await until(async () => (await pixelsLike(page, LAND[scheme])) > 10_000, { what: `land in ${scheme}` })
    await until(async () => (await pixelsLike(page, LAND[other])) < 1_000, { what: `no land in ${other}` })
  }
  await until(async () => (await pixelsLike(page, ROUTE_COLOUR)) > 10, { what: 'the route, still' })
  await page.locator('#tab-text').click()
  const text = page.locator('#panel-text')
  await text.getByText('地圖上約有 40 人').waitFor()
  const list = (await text.textContent()) ?? ''
  for (const one of ['慈惠宮補給站', '通霄車站', '大甲接駁', '累了請上車', MARKUP])
    expect(list).toContain(one)
  expect(await page.locator('main b, main script').count()).toBe(0)
  expect(await evaluate(page, 'window.broken ?? null')).toBeNull()
  await close()
  expect(problems).toEqual([])
})

browserTest('in forced colours one sees which tab is chosen, and which button is pressed', async () => {
  const { page, close } = await openPage(web.browser, web.origin, { forcedColors: 'active' })
  await page.goto(`${web.origin}/map`)
  await page.locator('.beacon-palanquin').waitFor()
  await page.getByRole('button', { name: '跟著鑾轎' }).click()
  const backgrounds = await evaluate<string[]>(
    page,
    `['#tab-map', '#tab-text', '[aria-pressed=true]', '[aria-pressed=false]']
      .map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)`,
  )
  expect(backgrounds[0]).not.toBe(backgrounds[1] ?? '')
  expect(backgrounds[2]).not.toBe(backgrounds[3] ?? '')
  await close()
})

browserTest('the live region says that the network is back as soon as it is', async () => {
  const { page, close } = await openPage(web.browser, web.origin, { expected: TROUBLE })
  await page.goto(`${web.origin}/map?lang=zh-TW`)
  const live = page.locator('main > .visually-hidden[aria-live]')
  await live.getByText('大甲區').waitFor()
  await page.context().setOffline(true)
  await live.getByText('沒有網路').waitFor()
  await page.context().setOffline(false)
  await page.locator('.banner-offline').waitFor({ state: 'detached' })
  expect(await live.textContent()).toMatch(DAJIA_SENTENCE)
  await close()
})

const COVERED = `[...document.querySelectorAll('main a[href], main button')].filter((one) => {
  if (!one.checkVisibility()) return false
  one.scrollIntoView({ block: 'center' })
  const { left, top, width, height } = one.getBoundingClientRect()
  return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2))
}).map((one) => one.outerHTML.slice(0, 90))`

browserTest('no control lies under another thing, on a phone and on a desktop', async () => {
  for (const viewport of Object.values(SIZES)) {
    const { page, close } = await openPage(web.browser, web.origin, { viewport })
    await page.goto(`${web.origin}/map`)
    await page.locator('.beacon-palanquin').waitFor()
    expect(await evaluate<string[]>(page, COVERED)).toEqual([])
    await close()
  }
})

browserTest(
  '"where am I" says how far it is and how long that takes, and sends the position nowhere',
  async () => {
    const origin = web.origin
    const geolocation = { latitude: 24.31357, longitude: 120.61753, accuracy: 12 }
    const { page, requests, problems, close } = await openPage(web.browser, origin, {
      geolocation,
      permissions: ['geolocation'],
    })
    await page.goto(`${origin}/map`)
    await page.getByText(DAJIA_SENTENCE).first().waitFor()
    await page.getByRole('button', { name: '我在哪裡' }).click()
    await page.getByText(/距離鑾轎 3\.\d 公里 · 步行約 \d+ 分鐘/).waitFor()
    expect(await violations(page)).toEqual([])
    const seen = requests.length
    await until(() => requests.length > seen, { what: 'further requests' })
    await close()
    expect(requests.filter(({ url, body }) => /24\.31|120\.61[67]/.test(url + body))).toEqual([])
    expect(problems).toEqual([])
  },
)
