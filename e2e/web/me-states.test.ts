import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import type { Response } from 'playwright-core'
import { browserTest, evaluate, type Watched } from './browser.ts'
import { inspectPresent, TROUBLE, textOf } from './inspect.ts'
import { draftOf, joinOn, openPhone, untilStored } from './pilgrim.ts'
import { pixelsLike } from './pixels.ts'
import { BAISHATUN } from './seed.ts'
import { webStack } from './web-stack.ts'

const STARTS_AT = '2099-04-12T23:50:00+08:00'

/** A track on the map: see apps/web/src/map/track-map.ts. */
const WALKED = { light: [179, 38, 30], dark: [255, 138, 112] } as const

/** One pilgrim goes through the states of an activity, one test after the other. */
let phone: Watched
let userId: string
const web = webStack({ EVENT_STARTS_AT: STARTS_AT, USER_AUTH: 'session' }, async (web) => {
  phone = await openPhone(web.browser, web.stack, { expected: TROUBLE })
  ;({ userId } = await joinOn(phone.page, web.stack))
})
const open = (language = 'zh-TW') => phone.page.goto(`${web.origin}/me?lang=${language}`)
/** Both languages of the state that the page is in. */
async function inspectBoth(zh: string, en: string): Promise<string> {
  await open('en')
  await phone.page.getByText(en).first().waitFor()
  await inspectPresent(phone.page)
  expect((await textOf(phone.page)).replace(/慈惠|大雨/g, '')).not.toMatch(/\p{Script=Han}/u)
  await open()
  await phone.page.getByText(zh).first().waitFor()
  await inspectPresent(phone.page)
  return textOf(phone.page)
}
const press = (name: string) => phone.page.getByRole('button', { name, exact: true }).click()

browserTest('upcoming: the start in words, and a check-in counts as a rehearsal', async () => {
  expect(await inspectBoth('尚未開始', 'Not started yet')).toMatch(/2099\/4\/12 23:50 出發/)
  await press('打卡')
  await phone.page.getByText('收到').waitFor()
  await untilStored(web.stack, userId, 1)
  await phone.page.getByText('煉氣香客').waitFor()
})

browserTest('my track: on the map, and in words with its interruptions', async () => {
  const hour = 3_600_000
  const points = [3, 2.98, 2.96, 1, 0.98].map((hours, index) => ({
    lat: BAISHATUN.lat - (index + 1) * 0.002,
    lng: BAISHATUN.lng,
    accuracy: 8,
    recordedAt: Date.now() - Math.round(hours * hour),
  }))
  const { url } = web.stack.running()
  const sent = await phone.page.request.post(`${url}/api/event/track/sync`, {
    headers: { origin: url },
    data: { userId, points },
    ignoreHTTPSErrors: true,
  })
  expect(sent.status()).toBe(200)
  await open()
  await phone.page.locator('.my-track').scrollIntoViewIfNeeded()
  await phone.page.locator('.my-track canvas').waitFor()
  await phone.page.locator('.my-track .map-loading').waitFor({ state: 'detached' })
  await inspectPresent(phone.page)
  // An open map turns dark with the phone, and light again.
  for (const scheme of ['light', 'dark', 'light'] as const) {
    await phone.page.emulateMedia({ colorScheme: scheme })
    const isDrawn = async () => (await pixelsLike(phone.page, WALKED[scheme])) > 5
    await until(isDrawn, { what: `the track in ${scheme}` })
  }
  await phone.page.getByRole('tab', { name: '文字' }).click()
  const rows = phone.page.locator('.track-parts li')
  await rows.first().waitFor()
  expect((await rows.allTextContents()).map((row) => row.replace(/\d+\/\d+ |\d\d:\d\d/g, ''))).toEqual([
    '-，3 個點',
    '記錄中斷 -',
    '-，2 個點',
    '記錄中斷 -',
    '，一個點',
  ])
  await inspectPresent(phone.page)
  // Opened again, the phone shows what it keeps and asks for what is new alone.
  const parts = await rows.allTextContents()
  await until(() => draftOf(phone.page, 'own-track'), { what: 'the kept track' })
  const asked = phone.page.waitForRequest((request) => request.url().includes('/track?from='))
  await open()
  await phone.page.locator('.my-track').scrollIntoViewIfNeeded()
  await asked
  await rows.first().waitFor({ state: 'attached' })
  expect(await rows.allTextContents()).toEqual(parts)
})

browserTest('paused: the words of the organisers; a check-in waits and says why', async () => {
  const message = { zh: '大雨，請就地避雨。', en: 'Heavy rain: please take shelter.' }
  await web.stack.api.put('/admin/status', { status: 'active' }, web.stack.api.as('manager'))
  await web.stack.api.put('/admin/status', { status: 'paused', message }, web.stack.api.as('manager'))
  expect(await inspectBoth('暫停中', 'Paused')).toContain(message.zh)
  await phone.page.context().setGeolocation({ latitude: 24.5, longitude: 120.7, accuracy: 8 })
  await press('打卡')
  await phone.page.getByText('目前不收位置').waitFor()
  await inspectPresent(phone.page)
  await web.stack.api.put('/admin/status', { status: 'active' }, web.stack.api.as('manager'))
  await open()
  await untilStored(web.stack, userId, 7)
})

browserTest('offline: the last known figures stand, and the page opens again', async () => {
  await open()
  await phone.page.getByText('煉氣香客').waitFor()
  await phone.page.context().setOffline(true)
  await phone.page.getByText('沒有網路').first().waitFor()
  await phone.page.reload()
  await phone.page.getByText('煉氣香客').waitFor()
  await phone.page.getByText('沒有網路').first().waitFor()
  await inspectPresent(phone.page)
  await phone.page.context().setOffline(false)
})

/** The context's: the service worker asks as well. */
const API = '**/api/**'
/** The person's own profile. */
const OWN = '/user/@me'
const isOf = (answer: Response, path: string) => new URL(answer.url()).pathname.endsWith(path)

browserTest('503: nothing is lost, and it tries again', async () => {
  const context = phone.page.context()
  await context.route(API, (route) => route.fulfill({ status: 503, body: '{"error":""}' }))
  expect(await inspectBoth('系統忙碌中', 'The service is busy')).toContain('資料沒有遺失')
  // What the phone knows of its person stays.
  await phone.page.getByText('煉氣香客').waitFor()
  // However many answers are missing, it is said once, and one button asks for all of them.
  expect(await phone.page.locator('.banner-trouble').count()).toBe(1)
  // Also while the activity is answered again and the others are not: the profile is asked for once it is.
  let isAnswered = false
  const profileAnswer = phone.page.waitForResponse((answer) => {
    isAnswered ||= isOf(answer, '/activity') && answer.ok()
    return isAnswered && isOf(answer, OWN)
  })
  await context.route('**/api/event/activity', (route) => route.continue())
  // By itself the page asks for the others again after nearly 30 s.
  await evaluate(phone.page, 'Math.random = () => 0.999')
  await press('現在再試')
  await profileAnswer
  expect(await phone.page.locator('.banner-trouble').count()).toBe(1)
  await context.unroute('**/api/event/activity')
  await context.unroute(API)
  await phone.page.getByRole('button', { name: '現在再試' }).click()
  await phone.page.locator('.banner-trouble').waitFor({ state: 'detached' })
})

browserTest('429: the page waits as long as Retry-After says', async () => {
  const limited = { status: 429, headers: { 'retry-after': '7' }, body: '{"error":""}' }
  const context = phone.page.context()
  await context.route(API, (route) => route.fulfill(limited))
  const text = await inspectBoth('請稍候', 'Please wait')
  await context.unroute(API)
  expect(text).toMatch(/\d 秒後自動再試/)
  await phone.page.locator('.banner-trouble').first().waitFor({ state: 'detached' })
})

browserTest('ended: looks back on this walk, and takes no more', async () => {
  await web.stack.api.post('/admin/end-activity', {}, web.stack.api.as('owner'))
  const text = await inspectBoth('這一趟，您走了', 'On this pilgrimage you went')
  expect(text).toContain('感謝一路同行')
  expect(text).toMatch(/這一趟，您走了\d+(\.\d)? 公里/)
  expect(await phone.page.getByRole('button', { name: '打卡', exact: true }).count()).toBe(0)
  await press('做我的分享卡')
  await phone.page.getByRole('img', { name: '我的分享卡' }).waitFor()
  await inspectPresent(phone.page)
  // Who comes now is not asked to join.
  const newcomer = await openPhone(web.browser, web.stack)
  await newcomer.page.goto(`${web.origin}/me?lang=zh-TW`)
  await newcomer.page.getByText('不再接受新的人加入').waitFor()
  await newcomer.page.getByText('我有救援碼').waitFor()
  await inspectPresent(newcomer.page)
  expect(await newcomer.page.locator('.join').count()).toBe(0)
  await newcomer.close()
  expect([...phone.problems, ...newcomer.problems]).toEqual([])
})
