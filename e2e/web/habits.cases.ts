import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTest, evaluate, type Watched } from './browser.ts'
import { brokenStore, fixOf, TRANSLATE, wrongClock } from './habits.ts'
import { inspectPresent, TROUBLE } from './inspect.ts'
import { joinOn, openPhone, rowsOf, untilStored } from './pilgrim.ts'
import { web } from './signed-in.ts'

const MINUTE_MS = 60_000
const ADDRESS = () => `${web.origin}/me?lang=zh-TW`
const checkIn = (page: Page) => page.getByRole('button', { name: '打卡', exact: true }).click()

/** A phone with these habits. */
async function phoneWith(...scripts: string[]): Promise<Watched> {
  const phone = await openPhone(web.browser, web.stack, { expected: TROUBLE })
  for (const script of scripts) await phone.page.addInitScript(script)
  return phone
}

async function endsClean({ close, problems }: Watched): Promise<void> {
  await close()
  expect(problems).toEqual([])
}

browserTest('a translated page says that a check-in has arrived', async () => {
  const phone = await phoneWith()
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await evaluate(page, TRANSLATE)
  await page.getByText('⟦您的救援碼⟧').waitFor()
  await page.getByRole('button', { name: '⟦打卡⟧', exact: true }).click()
  await page.getByText('⟦收到⟧').waitFor()
  await page.getByText('⟦煉氣香客⟧').waitFor()
  expect(await page.getByText('等待上傳').count()).toBe(0)
  await untilStored(web.stack, userId, 1)
  await endsClean(phone)
})

for (const [what, byMs] of [
  ['six minutes fast', 6 * MINUTE_MS],
  ['26 hours fast', 26 * 60 * MINUTE_MS],
  ['40 days slow', -40 * 1_440 * MINUTE_MS],
] as const)
  browserTest(`a check-in of a phone whose clock is ${what} has the server's time`, async () => {
    const phone = await phoneWith(wrongClock(byMs))
    const { userId } = await joinOn(phone.page, web.stack)
    await checkIn(phone.page)
    await phone.page.getByText('收到').waitFor()
    const [row] = await untilStored(web.stack, userId, 1)
    expect(Math.abs((row?.recordedMs ?? 0) - Date.now())).toBeLessThan(2 * MINUTE_MS)
    await endsClean(phone)
  })

browserTest("a check-in without a network has the server's time, once that is known", async () => {
  const phone = await phoneWith(wrongClock(6 * MINUTE_MS), fixOf('Date.now()'))
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await page.reload()
  await page.getByRole('button', { name: '我已經收好了' }).click()
  // A phone that has never met the server's clock.
  await evaluate(page, 'localStorage.clear()')
  await page.context().setOffline(true)
  await page.reload()
  await checkIn(page)
  await page.getByText('已記下，等待上傳').waitFor()
  const madeMs = Date.now()
  await page.context().setOffline(false)
  await page.getByText('收到').waitFor()
  const [row] = await untilStored(web.stack, userId, 1)
  expect(Math.abs((row?.recordedMs ?? 0) - madeMs)).toBeLessThan(2 * MINUTE_MS)
  await endsClean(phone)
})

for (const [what, timestamp] of [
  ['milliseconds since 2001', 'Date.now() - 978307200000'],
  ['seconds since 2001', 'Date.now() / 1000 - 978307200'],
] as const)
  browserTest(`a fix of now in ${what} is a check-in of now`, async () => {
    const phone = await phoneWith(fixOf(timestamp))
    const { userId } = await joinOn(phone.page, web.stack)
    await checkIn(phone.page)
    await phone.page.getByText('收到').waitFor()
    const [row] = await untilStored(web.stack, userId, 1)
    expect(Math.abs((row?.recordedMs ?? 0) - Date.now())).toBeLessThan(2 * MINUTE_MS)
    await endsClean(phone)
  })

for (const minutes of [5, 120])
  browserTest(
    `a fix of ${minutes} minutes ago is no check-in of now, and the page asks for the place`,
    async () => {
      const phone = await phoneWith(fixOf(`Date.now() - ${minutes * MINUTE_MS}`))
      const { userId } = await joinOn(phone.page, web.stack)
      await checkIn(phone.page)
      await phone.page.getByText('定位不到現在的位置').waitFor()
      await inspectPresent(phone.page)
      expect(await rowsOf(web.stack, userId)).toEqual([])
      await endsClean(phone)
    },
  )

for (const [what, script] of [
  ['cannot be opened', brokenStore.always],
  ['does not answer', brokenStore.silent],
] as const)
  browserTest(
    `where IndexedDB ${what}, a join gives its code and a check-in goes straight away`,
    async () => {
      const phone = await phoneWith(script)
      const { page } = phone
      const { userId, recoveryCode } = await joinOn(page, web.stack)
      expect(recoveryCode).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/)
      await page.getByText('這支手機現在不能保存資料').waitFor()
      await inspectPresent(page)
      await checkIn(page)
      await page.getByText('收到', { exact: true }).waitFor()
      await untilStored(web.stack, userId, 1)
      await page.getByRole('button', { name: '開始記錄' }).click()
      await untilStored(web.stack, userId, 2)
      // A new page knows nothing but the session.
      await page.goto(ADDRESS())
      await page.getByText('煉氣香客').waitFor()
      await page.getByRole('button', { name: '登出這支手機' }).click()
      await page.getByRole('button', { name: '是的，登出' }).click()
      await page.getByText('已登出').waitFor()
      await endsClean(phone)
    },
  )

browserTest('where IndexedDB fails once, the next use opens it, and nothing is said', async () => {
  const phone = await phoneWith()
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await page.addInitScript(brokenStore.once)
  await page.goto(ADDRESS())
  await page.locator('.code').waitFor()
  await checkIn(page)
  await page.getByText('收到').waitFor()
  await untilStored(web.stack, userId, 1)
  expect(await page.getByText('這支手機現在不能保存資料').count()).toBe(0)
  await endsClean(phone)
})
