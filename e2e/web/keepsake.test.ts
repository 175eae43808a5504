import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { browserTest, evaluate, PATIENCE_MS, type Watched } from './browser.ts'
import { inspectPresent, textOf } from './inspect.ts'
import { NINE_DAYS, sendNineDays } from './nine-days.ts'
import { joinOn, openPhone } from './pilgrim.ts'
import { BAISHATUN } from './seed.ts'
import { webStack } from './web-stack.ts'

const PLACE = { zh: '慈惠宮補給站', en: 'Cihui Temple' }
/** What must never be shown as markup, nor run. */
const MARKUP = { zh: '<img src=x onerror=alert(1)>&"', en: '<img src=x onerror=alert(1)>&"' }

let phone: Watched
let userId: string
const web = webStack({ USER_AUTH: 'session', RATE_LIMITS: 'off' }, async (web) => {
  const { stack } = web
  phone = await openPhone(web.browser, stack)
  ;({ userId } = await joinOn(phone.page, stack, { visibility: 'named', name: '林阿梅' }))
  const manager = stack.api.as('manager')
  await stack.api.post('/admin/places', { kind: 'supply', name: PLACE, ...BAISHATUN }, manager)
  const last = NINE_DAYS.placeAt(NINE_DAYS.days - 1, 1)
  await stack.api.post('/admin/places', { kind: 'rest', name: MARKUP, ...last }, manager)
  await sendNineDays(phone.page, { origin: web.origin, userId })
  const picture = await sharp({ create: { width: 2_400, height: 1_600, channels: 3, background: '#385f71' } })
    .jpeg()
    .toBuffer()
  const sent = await phone.page.request.post(`${web.origin}/upload/photos`, {
    ignoreHTTPSErrors: true,
    headers: { origin: web.origin },
    multipart: {
      photo: { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture },
      point: JSON.stringify({ ...NINE_DAYS.placeAt(2, 0.5), recordedAt: NINE_DAYS.timeAt(2, 0.5) }),
    },
  })
  expect(sent.status()).toBe(201)
  await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))
})
const open = async (language = 'zh-TW') => {
  await phone.page.goto(`${web.origin}/me?lang=${language}`)
  await phone.page
    .locator('.days li')
    .nth(NINE_DAYS.days - 1)
    .waitFor()
}

browserTest('after the end the page begins with the nine days: map, list, nights and photo', async () => {
  const { page } = phone
  await open()
  const days = page.locator('.days li')
  expect(await days.count()).toBe(NINE_DAYS.days)
  const text = await textOf(page)
  expect(text).toContain('9 天，8 夜')
  const profile = await page.request.get(`${web.origin}/api/event/user/${userId}`, {
    ignoreHTTPSErrors: true,
  })
  const { data }: { data: { distanceKm: number } } = await profile.json()
  const kilometres = (await days.allTextContents()).map((day) => Number(/([\d.]+) 公里/.exec(day)?.[1]))
  expect(Math.abs(kilometres.reduce((sum, km) => sum + km, 0) - data.distanceKm)).toBeLessThan(1)
  expect(await days.first().textContent()).toMatch(new RegExp(`從${PLACE.zh}到[台臺]中市.*在[台臺]中市過夜`))
  expect(await page.locator('.days li').nth(2).locator('img').count()).toBe(1)
  await page.locator('.keepsake .map-loading').waitFor({ state: 'detached' })
  await page.locator('.keepsake canvas').waitFor()
  await inspectPresent(page)
  await open('en')
  expect(await textOf(page)).toContain('9 days, 8 nights')
  await page.locator('.keepsake .map-loading').waitFor({ state: 'detached' })
  await inspectPresent(page)
  expect(phone.problems).toEqual([])
})

/** What the drawing's sea, land, first way and the mark of the first day are painted with. */
const DRAWN_IN = `[['.sea', 'fill'], ['.land', 'fill'], ['.way-0', 'stroke'], ['section .mark-0', 'fill']]
  .map(([part, paint]) => getComputedStyle(document.querySelector(part))[paint])`

/** Opens a file from disk in a context without a network; gives the page and every request that it made. */
async function openOffline(path: string, run: (page: Page, requests: string[]) => Promise<void>) {
  const context = await web.browser.newContext({ offline: true, viewport: { width: 390, height: 844 } })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const requests: string[] = []
  const problems: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(`file://${path}`)
  await run(page, requests)
  expect(problems).toEqual([])
  await context.close()
}

browserTest(
  'the file opens from disk without a network, with everything in it and nothing of ours',
  async () => {
    const { page } = phone
    await open()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '下載我的九天' }).click(),
    ])
    const path = await file.path()
    const html = readFileSync(path, 'utf8')
    for (const ours of [userId, new URL(web.origin).host, '/api/', '/c/', 'http://localhost', 'https://'])
      expect({ ours, at: html.indexOf(ours) }).toEqual({ ours, at: -1 })
    expect(html.length).toBeLessThan(1_500_000)
    const asHtml = `${path}.html`
    await file.saveAs(asHtml)
    await openOffline(asHtml, async (kept, requests) => {
      expect(await kept.locator('section h2').count()).toBe(NINE_DAYS.days)
      expect(await kept.locator('svg[role=img] g path').count()).toBe(NINE_DAYS.days)
      expect(await kept.locator('body').textContent()).toContain(MARKUP.zh)
      const sizes = await evaluate<number[]>(
        kept,
        'Promise.all([...document.images].map(async (image) => { await image.decode(); return image.naturalWidth }))',
      )
      // The photo, made smaller, and the card.
      expect(sizes).toEqual([1_280, 1_200])
      expect(await evaluate(kept, 'document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const light = await evaluate<string[]>(kept, DRAWN_IN)
      await kept.emulateMedia({ colorScheme: 'dark' })
      const dark = await evaluate<string[]>(kept, DRAWN_IN)
      expect(dark.map((colour, part) => [colour, colour === light[part]])).toEqual(
        dark.map((colour) => [colour, false]),
      )
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([`file://${asHtml}`])
    })
    await page.getByText('已經下載').waitFor()
    expect(phone.problems).toEqual([])
  },
)

browserTest('who has withdrawn has no look back, and what another has is not theirs', async () => {
  const other = await openPhone(web.browser, web.stack)
  await other.page.goto(`${web.origin}/me?lang=zh-TW`)
  await other.page.getByText('不再接受新的人加入').waitFor()
  expect(await other.page.locator('.look-back').count()).toBe(0)
  await other.close()
  const left = await phone.page.request.post(`${web.origin}/api/event/participant-status`, {
    ignoreHTTPSErrors: true,
    headers: { origin: web.origin },
    data: { userId, status: 'withdrawn' },
  })
  expect(left.status()).toBe(200)
  await phone.page.goto(`${web.origin}/me?lang=zh-TW`)
  await phone.page.getByText('您已退出活動').waitFor()
  expect(await phone.page.locator('.look-back').count()).toBe(0)
  expect(phone.problems).toEqual([])
})
