import { expect } from 'bun:test'
import { whilePostgresIsSuspended, whileSuspended } from '@palanquin/stack/testing/suspend'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { browserTest, evaluate, openPage } from './browser.ts'
import { inspect, inspectPresent, TROUBLE, textOf } from './inspect.ts'
import { appointPalanquin, BAISHATUN, palanquinAt } from './seed.ts'
import { webStack } from './web-stack.ts'

const web = webStack({ RATE_LIMITS: 'off' })

/** A page on a phone that may fail to load what it asks for, and must have no other problem. */
async function visit(path: string, see: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems, close } = await openPage(web.browser, web.origin, { expected: TROUBLE })
  await page.goto(web.origin + path)
  await see(page)
  await close()
  expect(problems).toEqual([])
}

const pidsOf = (...services: string[]): number[] =>
  Object.entries(web.stack.running().services)
    .filter(([name]) => services.some((service) => name.startsWith(service)))
    .map(([, { pid }]) => pid)

browserTest('503: nothing is lost, and the pages come back by themselves or at a press', async () => {
  const pids = pidsOf('map', 'engagement')
  expect(pids.length).toBeGreaterThan(1)
  const open = async (path: string) => {
    const watched = await openPage(web.browser, web.origin, { expected: TROUBLE })
    return { ...watched, path }
  }
  const opened = [
    await open('/?lang=zh-TW'),
    await open('/map?lang=en'),
    await open('/survey?lang=en'),
  ] as const
  await whileSuspended(pids, async () => {
    await Promise.all(opened.map(({ page, path }) => page.goto(web.origin + path)))
    for (const { page, path } of opened) {
      await page.locator('.banner-trouble').waitFor()
      const text = await textOf(page)
      expect(text).toContain(path.includes('lang=en') ? 'Nothing is lost' : '資料沒有遺失')
      const seconds = Number(/(\d+)(?: 秒後自動再試|\ss\.)/.exec(text)?.[1])
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(30)
      await inspectPresent(page)
    }
    const [{ page, requests }] = opened
    const before = requests.length
    await page.getByRole('button', { name: '現在再試' }).click()
    await until(() => requests.slice(before).some(({ url }) => url.endsWith('/beacons')), {
      what: 'another request for the beacons, at the press',
    })
  })
  for (const { page, close, problems } of opened) {
    await page.locator('.banner-trouble').waitFor({ state: 'detached' })
    await close()
    expect(problems).toEqual([])
  }
})

browserTest('503: what was known stays on the page', async () => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, BAISHATUN)
  for (const path of ['/', '/map'])
    await visit(path, async (page) => {
      await page.locator('.where-place').waitFor()
      // The gateway hides its services' absence behind the last answer: only it can be too busy.
      await page
        .context()
        .route('**/beacons', (route) =>
          route.fulfill({ status: 503, headers: { 'retry-after': '5' }, json: { error: 'Busy.' } }),
        )
      await evaluate(page, "dispatchEvent(new Event('online'))") // reads at once
      await page.locator('.banner-trouble').waitFor()
      expect(await textOf(page)).toMatch(/鑾轎在苗栗縣通霄鎮[\s\S]*資料沒有遺失/)
    })
})

browserTest('503 for the status alone: it is said, and a press asks for it', async () => {
  for (const path of ['/', '/map'])
    await visit(path, async (page) => {
      await page.locator('.where-place').waitFor()
      const context = page.context()
      await context.route('**/activity', (route) => route.fulfill({ status: 503, json: { error: 'Busy.' } }))
      // By itself the page asks again after nearly 30 s.
      await evaluate(page, 'Math.random = () => 0.999')
      await evaluate(page, "dispatchEvent(new Event('online'))") // reads at once
      await page.locator('.banner-trouble').waitFor()
      await context.unroute('**/activity')
      await page.getByRole('button', { name: '現在再試' }).click()
      await page.locator('.banner-trouble').waitFor({ state: 'detached', timeout: 25_000 })
    })
})

browserTest('503 while feedback is sent: it stays, and goes by itself when PostgreSQL is back', async () => {
  await visit('/feedback?lang=zh-TW', async (page) => {
    await page.getByLabel('您想說的話').fill('停電也要送到')
    await whilePostgresIsSuspended(web.stack.home, async () => {
      await page.getByRole('button', { name: '送出' }).click()
      await page.getByText('內容沒有遺失').waitFor()
      await inspectPresent(page)
    })
    await page.getByText('收到了，謝謝您。').waitFor()
  })
  // A PostgreSQL that was frozen still carries out what the service had given up.
  const rows = await web.stack.sql`SELECT 1 FROM engagement.feedback WHERE message = '停電也要送到'`
  expect(rows).toHaveLength(1)
})

browserTest('429: the page waits as long as Retry-After says', async () => {
  const limit = (page: Page) =>
    page.context().route('**/beacons', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '400' },
        json: { error: 'Too many requests.' },
      }),
    )
  for (const path of ['/', '/map']) {
    const url = new URL(`${path}?lang=zh-TW`, web.origin)
    const text = await inspect(web.browser, url, { what: '這個網路的查詢太多了', prepare: limit })
    expect(Number(/(\d+) 秒後自動再試一次/.exec(text)?.[1])).toBeGreaterThan(60)
  }
})
