import { expect } from 'bun:test'
import { GATEWAY } from '@palanquin/stack/units/services'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { kill } from '../kill.ts'
import { browserTest, evaluate } from './browser.ts'
import { inspectPresent, TROUBLE } from './inspect.ts'
import { joinOn, openPhone, outboxOf, rowsOf, untilStored, walkNorth } from './pilgrim.ts'
import { web } from './signed-in.ts'

const HALF = 250
/** Of the page's request to the browser: where the service worker finds the API. */
const TAG = 'outbox:/api/event'
const address = () => `${web.origin}/me?lang=zh-TW`

browserTest(
  '500 points of a walk without a network arrive, each once, whatever is closed and killed',
  async () => {
    const phone = await openPhone(web.browser, web.stack, { expected: TROUBLE })
    const { userId } = await joinOn(phone.page, web.stack)
    const { page } = phone
    await page.getByText('螢幕亮著才會記錄').waitFor()
    await page.getByText('這是瀏覽器的限制').waitFor()
    // The second load is the service worker's: without a network the page opens again.
    await page.reload()
    await page.getByRole('button', { name: '開始記錄' }).click()
    await page.getByText('全部上傳完成').waitFor()
    const [first] = await untilStored(web.stack, userId, 1)
    await page.context().setOffline(true)
    await page.getByText('沒有網路').first().waitFor()
    await walkNorth(page, { from: 1, steps: HALF })
    await inspectPresent(page)
    const context = page.context()
    await page.close()

    const reopened = await context.newPage()
    await reopened.goto(address())
    await reopened.getByText('記錄中，從').waitFor()
    // A new start takes the place where it is.
    await reopened.getByText(`${HALF + 1} 個點等待上傳`, { exact: true }).waitFor()
    const restarts = ['tracking', GATEWAY].map((service) => kill(web.stack, service))
    await walkNorth(reopened, { from: HALF + 1, steps: HALF, waiting: HALF + 1 })
    const expected = (await outboxOf(reopened)).map(({ recordedAt, lat }) => [recordedAt, lat])
    expect(expected.length).toBe(2 * HALF + 1)
    await Promise.all(restarts.map((isBack) => isBack()))
    await context.setOffline(false)
    await reopened.getByText('全部上傳完成').waitFor()
    expect(await outboxOf(reopened)).toEqual([])
    const rows = await untilStored(web.stack, userId, 1 + expected.length)
    expect(rows.map(({ recordedMs, lat }) => [recordedMs, lat])).toEqual([
      [first?.recordedMs ?? 0, first?.lat ?? 0],
      ...expected,
    ])
    await phone.close()
    expect(phone.problems).toEqual([])
  },
)

/** The browser's own way to say that there is a network again, to a service worker without any page. */
async function dispatchSync(page: Page, tag: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${web.origin}/`)
      if (own) resolve(own.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const registrationId = await registered
  const event = { origin: web.origin, registrationId, tag, lastChance: false }
  await devtools.send('ServiceWorker.dispatchSyncEvent', event)
}

browserTest(
  'what waits when the page is closed is sent once there is a network, each point once',
  async () => {
    const permissions = ['geolocation', 'background-sync']
    const phone = await openPhone(web.browser, web.stack, { expected: TROUBLE, permissions })
    const { page } = phone
    const { userId } = await joinOn(page, web.stack)
    await evaluate(page, 'navigator.serviceWorker.ready.then(() => true)')
    await page.getByRole('button', { name: '開始記錄' }).click()
    await page.getByText('全部上傳完成').waitFor()
    await page.context().setOffline(true)
    await page.getByText('沒有網路').first().waitFor()
    await walkNorth(page, { from: 1, steps: 3 })
    await page.getByRole('button', { name: '打卡', exact: true }).click()
    await page.getByText('已記下，等待上傳').waitFor()
    const tags = 'navigator.serviceWorker.ready.then(({ sync }) => sync.getTags())'
    await until(async () => (await evaluate<string[]>(page, tags)).includes(TAG), {
      what: 'the page asks for a sync',
    })
    await untilStored(web.stack, userId, 1)
    const blank = await page.context().newPage()
    await page.close()
    await blank.context().setOffline(false)
    await dispatchSync(blank, TAG)
    const rows = await untilStored(web.stack, userId, 5)
    expect(rows.map(({ kind }) => kind).toSorted()).toEqual([0, 1, 1, 1, 1])
    await blank.goto(address())
    await blank.getByText('全部上傳完成').waitFor()
    expect(await outboxOf(blank)).toEqual([])
    await blank.getByText('收到').waitFor()
    // It records on, with a point of its own.
    expect((await rowsOf(web.stack, userId)).slice(0, 5)).toEqual(rows)
    await phone.close()
    expect(phone.problems).toEqual([])
  },
)

browserTest(
  'two people on one phone: what one has recorded never goes in the name of the other',
  async () => {
    const phone = await openPhone(web.browser, web.stack, { expected: TROUBLE })
    const { page } = phone
    const one = await joinOn(page, web.stack)
    await page.getByRole('button', { name: '開始記錄' }).click()
    await page.getByText('全部上傳完成').waitFor()
    await page.context().setOffline(true)
    await walkNorth(page, { from: 1, steps: 5 })
    // The session ends elsewhere: the first person signs out everywhere, on another phone.
    const { url } = web.stack.running()
    const everywhere = `${url}/api/event/session?all=true`
    const ended = await page.request.delete(everywhere, { headers: { origin: url }, ignoreHTTPSErrors: true })
    const { data }: { data: { recoveryCode: string } } = await ended.json()
    expect(ended.status()).toBe(200)
    await page.context().setOffline(false)
    await page.getByText('還有 5 筆紀錄等待上傳').waitFor()
    await inspectPresent(page)

    const other = await joinOn(page, web.stack)
    expect(other.userId).not.toBe(one.userId)
    await page.getByRole('button', { name: '打卡', exact: true }).click()
    await page.getByText('收到').waitFor()
    await untilStored(web.stack, other.userId, 1)
    expect((await outboxOf(page)).map(({ userId }) => userId)).toEqual(Array(5).fill(one.userId))
    expect((await rowsOf(web.stack, one.userId)).length).toBe(1)

    await page.context().clearCookies()
    await page.reload()
    await page.getByText('我有救援碼').click()
    await page.getByLabel('救援碼').fill(data.recoveryCode.toLowerCase())
    await page.getByRole('button', { name: '接回我的進香' }).click()
    await until(async () => (await outboxOf(page)).length === 0, { what: 'an empty outbox' })
    await untilStored(web.stack, one.userId, 6)
    expect((await rowsOf(web.stack, other.userId)).length).toBe(1)
    await phone.close()
    expect(phone.problems).toEqual([])
  },
)
