import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { browserTest, evaluate, openPage } from './browser.ts'
import { inspectPresent, TROUBLE } from './inspect.ts'
import { joinOn, openPhone, untilStored } from './pilgrim.ts'
import { appointPalanquin, DAJIA, palanquinAt } from './seed.ts'
import { webStack } from './web-stack.ts'
import { CALM, zoomToPeople } from './zoom.ts'

const web = webStack({ RATE_LIMITS: 'off' }, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, DAJIA)
})

/** Away from the palanquin's marker, and on the same screen. */
const NEAR_DAJIA = { lat: DAJIA.lat + 0.001, lng: DAJIA.lng + 0.001 }
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** How many records are in each store of the phone's database. */
const KEPT = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('palanquin')
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = async () => {
    const names = [...opening.result.objectStoreNames]
    const counts = await Promise.all(names.map((name) => new Promise((done) => {
      const count = opening.result.transaction(name).objectStore(name).count()
      count.onsuccess = () => done(count.result)
    })))
    opening.result.close()
    resolve(counts.reduce((sum, count) => sum + count, 0) + localStorage.length + sessionStorage.length)
  }
})`

browserTest(
  'consent that is taken back takes the dot from the map that another person has open',
  async () => {
    const [phone, other] = await Promise.all([
      openPhone(web.browser, web.stack, { at: NEAR_DAJIA }),
      openPage(web.browser, web.origin, CALM),
    ])
    const { page } = phone
    await joinOn(page, web.stack, { visibility: 'named', name: '林阿梅' })
    await press(page, '打卡')
    await page.getByText('收到').waitFor()
    const map = other.page
    await zoomToPeople(map, web.origin)
    const sentence = map.locator('#panel-map .map-people').getByText('這裡有 1 人', { exact: true })
    await sentence.waitFor()
    await press(page, '收回同意')
    await page.getByText('已收回同意').waitFor()
    await sentence.waitFor({ state: 'detached' })
    await inspectPresent(page)
    await page.getByText('改變公開方式').click()
    await page.locator('.my-data input[value=anonymous]').check()
    await press(page, '儲存')
    await sentence.waitFor()
    expect(await map.locator('main').textContent()).not.toContain('林阿梅')
    for (const { close, problems } of [phone, other]) {
      await close()
      expect(problems).toEqual([])
    }
  },
)

/** Writes feedback as a person does; `before` is done before it is sent. */
async function writeFeedback(page: Page, words: string, before = async () => {}): Promise<void> {
  await page.goto(`${web.origin}/feedback?lang=zh-TW`)
  await page.getByLabel('您想說的話').fill(words)
  await before()
  await press(page, '送出')
  await page.getByText('收到了，謝謝您。').waitFor()
}

browserTest('feedback is of who has joined and wrote it, unless they want it to be anonymous', async () => {
  const visitor = await openPhone(web.browser, web.stack)
  await writeFeedback(visitor.page, '路過的人')
  expect(await visitor.page.getByLabel('不要記下是我寫的').count()).toBe(0)
  expect(visitor.requests.filter(({ url }) => url.endsWith('/session'))).toEqual([])
  await visitor.close()
  const phone = await openPhone(web.browser, web.stack)
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await writeFeedback(page, '我寫的', () => inspectPresent(page))
  await writeFeedback(page, '不記名', () => page.getByLabel('不要記下是我寫的').check())
  expect([
    ...(await web.stack.sql`SELECT message, user_id AS "userId" FROM engagement.feedback ORDER BY seq`),
  ]).toEqual([
    { message: '路過的人', userId: null },
    { message: '我寫的', userId },
    { message: '不記名', userId: null },
  ])
  await phone.close()
  expect([...visitor.problems, ...phone.problems]).toEqual([])
})

browserTest('the data and the track are downloaded, and the card is shared without the id', async () => {
  // A card is made again when the service is busy.
  const phone = await openPhone(web.browser, web.stack, { at: DAJIA, expected: TROUBLE })
  const { page } = phone
  const { userId } = await joinOn(page, web.stack, { phone: '0912345678' })
  await press(page, '打卡')
  await page.getByText('收到').waitFor()
  await untilStored(web.stack, userId, 1)
  const download = async (button: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, button)])
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }
  const json = await download('全部（JSON）')
  expect(json.name).toBe('my-data.json')
  const { data } = JSON.parse(json.text)
  expect([data.profile.phone, data.checkins.length, data.consents.length]).toEqual(['+886912345678', 1, 1])
  const gpx = await download('走過的路（GPX）')
  expect(gpx.name).toBe('my-track.gpx')
  expect(gpx.text).toContain(`lat="${DAJIA.lat}"`)
  await press(page, '做我的分享卡')
  await page.getByRole('img', { name: '我的分享卡' }).waitFor()
  await inspectPresent(page)
  await evaluate(
    page,
    `Object.defineProperty(navigator, 'canShare', { value: () => true }),
    Object.defineProperty(navigator, 'share', { value: async (given) => { window.given = given } })`,
  )
  await press(page, '分享這張卡')
  await page.waitForFunction('window.given')
  const given = await evaluate<{ type: string; size: number; text: string }>(
    page,
    '({ type: given.files[0].type, size: given.files[0].size, text: given.text })',
  )
  expect(given.type).toBe('image/png')
  expect(given.size).toBeGreaterThan(10_000)
  expect(given.text).toMatch(/\/c\/[\w-]+$/)
  expect(given.text).not.toContain(userId)
  await phone.close()
  expect(phone.problems).toEqual([])
})

browserTest('who withdraws sends no more, and may come back', async () => {
  const phone = await openPhone(web.browser, web.stack, { at: DAJIA })
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  const status = async () =>
    (await web.stack.sql`SELECT status FROM engagement.participants WHERE user_id = ${userId}`)[0]?.status
  await press(page, '退出活動')
  await press(page, '不要')
  expect(await status()).toBe('active')
  await press(page, '退出活動')
  await page.getByRole('alertdialog').getByRole('button', { name: '退出活動' }).click()
  // What has become of it is in view, wherever the button was.
  await page.locator('p:focus', { hasText: '您已退出活動' }).waitFor()
  expect(await status()).toBe('withdrawn')
  expect(await page.getByRole('button', { name: '打卡', exact: true }).count()).toBe(0)
  await inspectPresent(page)
  await press(page, '再加入活動')
  await page.locator('.check-in button:focus').waitFor()
  expect(await status()).toBe('active')
  await phone.close()
  expect(phone.problems).toEqual([])
})

browserTest(
  'who signs out everywhere leaves nothing on the phone, and comes back with the code',
  async () => {
    const phone = await openPhone(web.browser, web.stack, { at: DAJIA, expected: TROUBLE })
    const { page } = phone
    const { userId, recoveryCode: first } = await joinOn(page, web.stack)
    await press(page, '打卡')
    await page.getByText('收到').waitFor()
    expect(await evaluate<number>(page, KEPT)).toBeGreaterThan(2)
    await press(page, '登出所有手機')
    await inspectPresent(page)
    await press(page, '是的，登出')
    await page.locator('p:focus', { hasText: '這支手機上的紀錄已清空' }).waitFor()
    // The new code alone, until it is noted down.
    const recoveryCode = (await page.locator('.code').textContent()) ?? ''
    expect(await evaluate<number>(page, KEPT)).toBe(1)
    await press(page, '我已經收好了')
    await page.locator('.code').waitFor({ state: 'detached' })
    expect(await evaluate<number>(page, KEPT)).toBe(0)
    const [row] = await web.stack.sql`SELECT count(*)::int AS n FROM engagement.sessions
    WHERE user_id = ${userId} AND ended_at IS NULL`
    expect(row?.n).toBe(0)
    await page.getByText('我有救援碼').click()
    const code = page.getByLabel('救援碼')
    await code.fill(first)
    await press(page, '接回我的進香')
    await page.getByText('這個救援碼無法使用').waitFor()
    await code.fill(recoveryCode)
    // The service has used the code up, and its answer is lost: the same phone asks again.
    let lost = 0
    await page.route('**/session', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue()
      const answer = await page.request.fetch(route.request(), { ignoreHTTPSErrors: true })
      expect(answer.status()).toBe(201)
      await page.context().clearCookies()
      await route.abort()
    })
    await press(page, '接回我的進香')
    await page.getByText('請再按一次送出').waitFor()
    await page.reload()
    await page.getByText('我有救援碼').click()
    await code.fill(recoveryCode)
    await press(page, '接回我的進香')
    await page.getByText('煉氣香客').waitFor()
    expect(lost).toBe(2)
    const next = (await page.locator('.code').textContent()) ?? ''
    expect(next).not.toBe(recoveryCode)
    await phone.close()
    expect(phone.problems).toEqual([])
  },
)

browserTest('a session that ends elsewhere is said so as soon as the service says it', async () => {
  const phone = await openPhone(web.browser, web.stack, { expected: TROUBLE })
  const { page } = phone
  await joinOn(page, web.stack)
  const consent = '[aria-describedby=consent-hint]'
  await page.locator(consent).scrollIntoViewIfNeeded()
  // Signed out everywhere on another phone: this page has not looked at its session since.
  const everywhere = `${web.origin}/api/event/session?all=true`
  const own = { headers: { origin: web.origin }, ignoreHTTPSErrors: true }
  expect((await page.request.delete(everywhere, own)).status()).toBe(200)
  // Unless a read has learned it before.
  await evaluate(page, `document.querySelector('${consent}')?.click()`)
  await page.locator('p:focus', { hasText: '您的登入已經結束' }).waitFor()
  await page.locator('.join').waitFor()
  expect(await page.getByText('系統忙碌中').count()).toBe(0)
  await inspectPresent(page)
  await phone.close()
  expect(phone.problems).toEqual([])
})

/** What a page was reading while everything was erased finds nobody. */
const CROSSED =
  /(401 \(Unauthorized\)|404 \(Not Found\)) \(https:\/\/localhost:\d+\/api\/event\/(user\/@me(\/track)?|share|devices)(\?\S*)?\)$/

browserTest('erasing asks twice, says what stays in backups, and leaves nothing', async () => {
  const phone = await openPhone(web.browser, web.stack, { at: DAJIA, expected: CROSSED })
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await press(page, '打卡')
  await page.getByText('收到').waitFor()
  await untilStored(web.stack, userId, 1)
  await page.getByText('備份裡的資料不會立刻消失').waitFor()
  await press(page, '刪除我的所有資料')
  await page.getByText('第一次確認').waitFor()
  const other = await page.context().newPage()
  await other.goto(`${web.origin}/me?lang=zh-TW`)
  await other.locator('.my-data').waitFor()
  await page.bringToFront()
  // Who taps twice has answered once: neither by two presses of one place nor by a double click is anything erased.
  const yes = await page.getByRole('button', { name: '是的，刪除' }).boundingBox()
  const [x, y] = [(yes?.x ?? 0) + 40, (yes?.y ?? 0) + 24]
  await page.mouse.click(x, y)
  await page.getByText('最後一次確認').waitFor()
  await page.mouse.click(x, y)
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await press(page, '刪除我的所有資料')
  await page.getByRole('button', { name: '是的，刪除' }).dblclick()
  await page.getByText('最後一次確認').waitFor()
  await press(page, '不要')
  expect(await page.locator('.my-data').count()).toBe(1)
  await press(page, '刪除我的所有資料')
  await press(page, '是的，刪除')
  await page.getByText('最後一次確認').waitFor()
  await press(page, '永久刪除')
  await page.locator('p:focus', { hasText: '您的資料已全部刪除' }).waitFor()
  await page.locator('.join').waitFor()
  await inspectPresent(page)
  // The other open page keeps nothing of them either.
  await other.locator('.join').waitFor()
  expect(await evaluate<number>(page, KEPT)).toBe(0)
  for (const table of ['tracking.all_points', 'engagement.participants', 'engagement.sessions'])
    expect(
      (
        await web.stack.sql`SELECT count(*)::int AS n FROM ${web.stack.sql(table)} WHERE user_id = ${userId}`
      )[0]?.n,
    ).toBe(0)
  await phone.close()
  expect(phone.problems).toEqual([])
})

browserTest('a family link is made, opened by somebody else, and taken back', async () => {
  const [phone, family] = await Promise.all([
    openPhone(web.browser, web.stack, { at: DAJIA }),
    openPage(web.browser, web.origin, { expected: TROUBLE }),
  ])
  const { page } = phone
  const { userId } = await joinOn(page, web.stack)
  await press(page, '打卡')
  await page.getByText('收到').waitFor()
  await untilStored(web.stack, userId, 1)
  await page.locator('.family-link select').selectOption('24')
  await press(page, '做一個連結')
  const url = (await page.locator('.family-url').textContent()) ?? ''
  expect(url).toMatch(/\/s\/[\w-]+$/)
  expect(url).not.toContain(userId)
  await inspectPresent(page)
  await family.page.goto(url)
  await family.page.locator('.share-place').waitFor()
  await press(page, '收回連結')
  await page.getByRole('button', { name: '做一個連結' }).waitFor()
  expect((await family.page.goto(url))?.status()).toBe(410)
  for (const { close, problems } of [phone, family]) {
    await close()
    expect(problems).toEqual([])
  }
})

browserTest('one sees where one is signed in, and ends another session there', async () => {
  const phone = await openPhone(web.browser, web.stack)
  // It asks once more before it hears of its end.
  const other = await openPhone(web.browser, web.stack, { expected: TROUBLE })
  const { recoveryCode } = await joinOn(phone.page, web.stack)
  await other.page.goto(`${web.origin}/me?lang=zh-TW`)
  await other.page.getByText('我有救援碼').click()
  await other.page.getByLabel('救援碼').fill(recoveryCode)
  await press(other.page, '接回我的進香')
  await other.page.locator('.my-data').waitFor()
  await phone.page.reload()
  const list = phone.page.locator('.session-list')
  await list.locator('li').nth(1).waitFor()
  await inspectPresent(phone.page)
  expect(await list.getByText('就是這支手機').count()).toBe(1)
  await list.getByRole('button').click()
  await press(phone.page, '是的，登出')
  await list.locator('li').nth(1).waitFor({ state: 'detached' })
  await other.page.reload()
  await other.page.getByText('您的登入已經結束').waitFor()
  for (const { close, problems } of [phone, other]) {
    await close()
    expect(problems).toEqual([])
  }
})

browserTest('signing out everywhere says what has ended, and shows the new recovery code', async () => {
  const { page, problems, close } = await openPhone(web.browser, web.stack)
  const { userId, recoveryCode } = await joinOn(page, web.stack)
  await press(page, '我已經收好了')
  await press(page, '登出所有手機')
  await page.getByText('家人連結與定位 App 會結束，救援碼會換新').waitFor()
  await press(page, '是的，登出')
  await page.getByText('已登出所有手機，家人連結與定位 App 也結束了').waitFor()
  const next = (await page.locator('.code').textContent()) ?? ''
  await inspectPresent(page)
  // It stays until it is noted down, whatever becomes of the page.
  await page.reload()
  expect(await page.locator('.code').textContent()).toBe(next)
  const moved = async (code: string) => (await web.stack.api.post('/session', { recoveryCode: code })).status
  expect([await moved(recoveryCode), await moved(next)]).toEqual([401, 201])
  await press(page, '我已經收好了')
  await page.locator('.code').waitFor({ state: 'detached' })
  expect((await page.locator('main').textContent()) ?? '').not.toContain(userId)
  await close()
  expect(problems).toEqual([])
})
