import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { browserTest, openPage } from './browser.ts'
import { inspect } from './inspect.ts'
import { appointPalanquin, BAISHATUN, CARRIER, palanquinAt, publishRoute } from './seed.ts'
import { webStack } from './web-stack.ts'

/** After the run of any test. */
const STARTS_AT = '2099-04-12T23:50:00+08:00'
const MAP_PAGES = ['/', '/map'] as const

/** Each test starts from the state that the one before it left, as an activity does. */
const web = webStack({ EVENT_STARTS_AT: STARTS_AT, RATE_LIMITS: 'off' })

const see = (path: string, what: string, prepare?: (page: Page) => Promise<unknown>): Promise<string> =>
  inspect(web.browser, new URL(path, web.origin), { what, ...(prepare && { prepare }) })

browserTest('upcoming and empty: the start in words, and that there is no position yet', async () => {
  for (const path of MAP_PAGES) {
    const text = await see(`${path}?lang=zh-TW`, '尚未開始')
    expect(text).toMatch(/2099\/4\/12 23:50 出發/)
    expect(text).toContain('目前還沒有鑾轎的位置。')
    const english = await see(`${path}?lang=en`, 'Not started yet')
    expect(english).toMatch(/April 12, 2099.*23:50/)
    expect(english).not.toMatch(/\p{Script=Han}/u)
  }
})

browserTest('loading: the frame stands while nothing has been answered, and claims nothing', async () => {
  // The context's: the service worker asks as well.
  const hold = (page: Page) => page.context().route('**/api/**', () => {})
  for (const path of MAP_PAGES) {
    expect(await see(path, '正在查詢鑾轎的位置', hold)).not.toContain('沒有鑾轎的位置')
    expect(await see(`${path}?lang=en`, 'Looking for the palanquin', hold)).not.toContain('no position')
  }
})

browserTest('stale: a position older than a minute is shown with its age', async () => {
  await appointPalanquin(web.stack)
  // Only what a device records from its giving on is the palanquin's.
  await web.stack.sql`UPDATE tracking.beacon_devices SET since = now() - interval '1 hour'`
  const points = [{ ...BAISHATUN, recordedAt: Date.now() - 5 * 60_000, accuracy: 8 }]
  await web.stack.api.post('/track/sync', { userId: CARRIER, points })
  const isListed = async () => JSON.stringify((await web.stack.api.get('/beacons')).body).includes('"lat"')
  await until(isListed, { what: 'the palanquin in the list of beacons' })
  for (const path of MAP_PAGES) {
    expect(await see(path, '分鐘前的資料')).toContain('通霄鎮')
    await see(`${path}?lang=en`, 'it may have moved on')
  }
})

browserTest('live: the sentence says where the palanquin is and that it is new', async () => {
  // A place of its own each time, since one place counts once a minute.
  let places = 0
  const walkOn = () => palanquinAt(web.stack, { ...BAISHATUN, lat: BAISHATUN.lat - ++places * 0.0005 })
  // On a slow machine the page is looked at when the minute is over.
  const seesNew = (path: string, text: string, isNew: (sentence: string) => boolean) =>
    until(
      async () => {
        await walkOn()
        return isNew(await see(path, text))
      },
      { what: `a new position at ${path}` },
    )
  for (const path of MAP_PAGES) {
    await seesNew(path, '鑾轎在苗栗縣通霄鎮', (sentence) => /剛剛更新|秒前更新/.test(sentence))
    await seesNew(`${path}?lang=en`, 'Tongxiao', (sentence) => !sentence.includes('may have moved on'))
  }
})

browserTest('paused: the words of the organisers in the language of the page, as text', async () => {
  const message = { zh: '大雨，請就地<b>避雨</b>。', en: 'Heavy rain: please <b>take shelter</b>.' }
  await web.stack.api.put('/admin/status', { status: 'paused', message }, web.stack.api.as('manager'))
  for (const path of MAP_PAGES) {
    const text = await see(`${path}?lang=zh-TW`, '暫停中')
    expect(text).toContain(message.zh)
    expect(text).toMatch(/從 .*\d\d:\d\d 起暫停/)
    expect(await see(`${path}?lang=en`, 'Paused')).toContain(message.en)
  }
})

browserTest('ended: the way that was walked, thanks, and a survey that is closed', async () => {
  await publishRoute(web.stack)
  await web.stack.api.post('/admin/end-activity', {}, web.stack.api.as('owner'))
  for (const path of MAP_PAGES) {
    expect(await see(`${path}?lang=zh-TW`, '全程 1')).toMatch(/已圓滿結束.*全程 1\d\d 公里.*感謝一路同行/)
    expect(await see(`${path}?lang=en`, 'The way was 1')).toContain('Thank you for walking along')
  }
  const { page, problems, close } = await openPage(web.browser, web.origin)
  await page.goto(`${web.origin}/?lang=en`)
  await page.getByRole('link', { name: 'Get my card' }).click()
  await page.waitForURL(`${web.origin}/me?lang=en`)
  // There the card itself is, and no link to where one is already.
  await page.getByText('Thank you for walking along').waitFor()
  expect(await page.getByRole('link', { name: 'Get my card' }).count()).toBe(0)
  await close()
  expect(problems).toEqual([])
  await see('/survey?lang=zh-TW', '問卷不再收件')
  await see('/survey?lang=en', 'survey is closed')
})
