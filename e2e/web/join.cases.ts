import { expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { browserTest, evaluate, LANGUAGES, SIZES } from './browser.ts'
import { inspectPresent, TROUBLE } from './inspect.ts'
import { joinOn, openPhone, untilStored } from './pilgrim.ts'
import { BAISHATUN, DAJIA } from './seed.ts'
import { web } from './signed-in.ts'

const CHECKIN_KIND = 0

browserTest('somebody joins, checks in with one tap, and reaches the first level', async () => {
  const { page, problems, requests, close } = await openPhone(web.browser, web.stack)
  await page.goto(`${web.origin}/me?lang=zh-TW`)
  const [decline, agree] = [page.getByRole('button', { name: '不同意' }), page.locator('.join [type=submit]')]
  const [one, other] = [await decline.boundingBox(), await agree.boundingBox()]
  expect([one?.width, one?.height]).toEqual([other?.width, other?.height])
  expect(await page.locator('input[value=crowd]').isChecked()).toBe(true)
  const { userId, recoveryCode } = await joinOn(page, web.stack, { phone: '0912-345-678' })
  expect(recoveryCode).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/)
  await page.getByRole('img', { name: '救援碼的 QR Code' }).waitFor()
  // It comes into view, wherever the form that was sent had been scrolled to.
  await page.locator('.recovery h2:focus').waitFor()
  await inspectPresent(page)
  const [consent] = await web.stack
    .sql`SELECT visibility, version FROM engagement.consent_history WHERE user_id = ${userId}`
  expect(consent).toEqual({ visibility: 'crowd', version: '1' })
  await page.getByRole('button', { name: '我已經收好了' }).click()
  await page.locator('.recovery').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('打第一次卡').waitFor()
  expect(await page.getByText(recoveryCode).count()).toBe(0)
  const before = Date.now()
  await page.getByRole('button', { name: '打卡', exact: true }).click()
  await page.getByText('收到').waitFor()
  await page.getByText('煉氣香客').waitFor()
  const [row] = await untilStored(web.stack, userId, 1)
  expect(row).toMatchObject({ kind: CHECKIN_KIND, ...BAISHATUN })
  expect(row?.recordedMs).toBeGreaterThanOrEqual(before)
  // Another page of the same phone knows of it, though it was opened before the next check-in.
  await page.context().setGeolocation({ latitude: DAJIA.lat, longitude: DAJIA.lng, accuracy: 8 })
  const [first, second] = [page, await page.context().newPage()]
  for (const one of [first, second]) {
    await one.goto(`${web.origin}/me?lang=zh-TW`)
    await one.getByText('收到').first().waitFor()
  }
  await first.bringToFront()
  await first.getByRole('button', { name: '打卡', exact: true }).click()
  await first.getByText('收到').nth(1).waitFor()
  await second.bringToFront()
  await second.getByRole('button', { name: '打卡', exact: true }).click()
  await second.locator('.check-in > [role=status]', { hasText: '只算一次' }).waitFor()
  await second.close()
  await inspectPresent(page)
  expect(page.url()).not.toContain(userId)
  expect(requests.filter(({ url }) => /912\D?345\D?678/.test(url) || url.includes(recoveryCode))).toEqual([])
  await close()
  expect(problems).toEqual([])
})

browserTest('who does not agree leaves nothing behind', async () => {
  const count = async () =>
    (await web.stack.sql`SELECT count(*)::int AS n FROM engagement.participants`)[0]?.n
  const before = await count()
  const { page, problems, requests, close } = await openPhone(web.browser, web.stack)
  await page.goto(`${web.origin}/me?lang=zh-TW`)
  await page.getByRole('button', { name: '不同意' }).click()
  await page.getByText('沒有留下任何資料').waitFor()
  expect((await page.context().cookies()).filter(({ name }) => name === '__Host-session')).toEqual([])
  expect(requests.filter(({ body }) => body !== '')).toEqual([])
  expect(await count()).toBe(before)
  await close()
  expect(problems).toEqual([])
})

browserTest(
  'a check-in without a network waits on the phone, and keeps the time at which it was made',
  async () => {
    const { page, close } = await openPhone(web.browser, web.stack, { at: DAJIA, expected: TROUBLE })
    const { userId } = await joinOn(page, web.stack)
    await page.context().setOffline(true)
    await page.getByText('沒有網路').first().waitFor()
    await page.getByRole('button', { name: '打卡', exact: true }).click()
    await page.getByText('已記下，等待上傳').waitFor()
    const madeBefore = Date.now()
    await inspectPresent(page)
    await page.context().setOffline(false)
    await page.getByText('收到').waitFor()
    const [row] = await untilStored(web.stack, userId, 1)
    expect(row).toMatchObject({ kind: CHECKIN_KIND, ...DAJIA })
    expect(row?.recordedMs).toBeLessThanOrEqual(madeBefore)
    await close()
  },
)

browserTest('a photo and its check-in are one act, also when it waits for the network', async () => {
  const { page, close, problems } = await openPhone(web.browser, web.stack, { expected: TROUBLE })
  const { userId } = await joinOn(page, web.stack)
  const photo = { name: 'photo.png', mimeType: 'image/png', buffer: await page.screenshot() }
  await page.getByLabel('拍照打卡').setInputFiles(photo)
  await page.getByText('收到').waitFor()
  // A new start asks the phone where it is; two check-ins of one place would be a minute apart.
  await page.context().setGeolocation({ latitude: DAJIA.lat, longitude: DAJIA.lng, accuracy: 8 })
  await page.reload()
  await page.getByText('收到').waitFor()
  await page.context().setOffline(true)
  await page.getByText('沒有網路').first().waitFor()
  await page.getByLabel('拍照打卡').setInputFiles(photo)
  await page.getByText('已記下，等待上傳').waitFor()
  await page.reload()
  await page.getByText('已記下，等待上傳').waitFor()
  await inspectPresent(page)
  await page.context().setOffline(false)
  await page.getByText('已記下，等待上傳').waitFor({ state: 'detached' })
  const rows = await untilStored(web.stack, userId, 2)
  expect(rows.map(({ kind }) => kind)).toEqual([CHECKIN_KIND, CHECKIN_KIND])
  await until(
    async () =>
      JSON.stringify((await web.stack.api.get(`/photos/count?userId=${userId}`)).body).includes('"count":2'),
    { what: 'two photos' },
  )
  // What is no picture is refused, and says so.
  const text = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') }
  await page.getByLabel('拍照打卡').setInputFiles(text)
  await page.getByText('沒有收下').waitFor()
  await inspectPresent(page)
  await close()
  expect(problems).toEqual([])
})

browserTest('the walk of who has joined is clean in every language and size, light and dark', async () => {
  const { page, problems, close } = await openPhone(web.browser, web.stack)
  await joinOn(page, web.stack)
  for (const language of LANGUAGES)
    for (const viewport of Object.values(SIZES)) {
      await page.setViewportSize(viewport)
      await page.goto(`${web.origin}/me?lang=${language}`)
      await page.locator('.code').waitFor()
      // Everything that can be unfolded, too.
      await evaluate(page, "for (const fold of document.querySelectorAll('details')) fold.open = true")
      await inspectPresent(page)
    }
  await close()
  expect(problems).toEqual([])
})

browserTest('a join whose answer is lost, and the page closed, still gives its recovery code', async () => {
  const { page, close } = await openPhone(web.browser, web.stack, {
    // The answer is fetched by the test, which knows nothing of the stack's certificate.
    serviceWorkers: 'block',
    ignoreHTTPSErrors: true,
  })
  const context = page.context()
  let isAnswered = false
  // The cookie arrives; of the body the page sees nothing.
  await context.route('**/api/*/session', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const cookie = (await route.fetch()).headers()['set-cookie'] ?? ''
    const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? []
    await context.addCookies([{ name, value, url: web.origin, secure: true, httpOnly: true }])
    isAnswered = true
  })
  await page.goto(`${web.origin}/me?lang=zh-TW`)
  await page.getByRole('button', { name: '同意並加入' }).click()
  await until(() => isAnswered, { what: 'the join has been answered' })
  await context.unroute('**/api/*/session')
  await page.close()
  const reopened = await context.newPage()
  await reopened.goto(`${web.origin}/me?lang=zh-TW`)
  const recoveryCode = (await reopened.locator('.code').textContent()) ?? ''
  const here = await reopened.request.get(`${web.origin}/api/event/session`, { ignoreHTTPSErrors: true })
  const { data }: { data: { userId: string } } = await here.json()
  const moved = await web.stack.api.post('/session', { recoveryCode })
  expect([moved.status, JSON.stringify(moved.body)]).toEqual([201, expect.stringContaining(data.userId)])
  // The consent had not been sent: it is asked for again, once.
  await reopened.locator('input[value=anonymous]').check()
  await reopened.getByRole('button', { name: '同意並加入' }).click()
  await reopened.locator('.my-data').getByText('公開地圖：匿名點').waitFor()
  expect(await reopened.locator('.join').count()).toBe(0)
  await close()
})

/** A walk of a point every half minute that ended an hour ago. */
function recordingOf(length: number): string {
  const start = Date.now() - 3_600_000 - length * 30_000
  const points = Array.from({ length }, (_, at) => {
    const time = new Date(start + at * 30_000).toISOString()
    return `<trkpt lat="${DAJIA.lat}" lon="${DAJIA.lng + at * 3e-4}"><time>${time}</time></trkpt>`
  })
  return `<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`
}

browserTest('a recording of another app is brought, shows in my track, and counts once', async () => {
  const { page, close, problems } = await openPhone(web.browser, web.stack)
  const { userId } = await joinOn(page, web.stack)
  const bring = (text: string) => {
    const file = { name: 'walk.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from(text) }
    return page.getByLabel('選一個檔案').setInputFiles(file)
  }
  const recording = recordingOf(500)
  await bring(recording)
  await page.getByText('加入了 500 個點').waitFor()
  await inspectPresent(page)
  // The track is read once it is in view; its list lies behind the map then.
  await page.locator('.my-track').scrollIntoViewIfNeeded()
  await page.locator('.my-track li', { hasText: '500 個點' }).waitFor({ state: 'attached' })
  await bring(recording)
  await page.getByText('500 個原本就有，只算一次').waitFor()
  await bring('not a recording')
  await page.getByText('這個檔案沒有全部收下').waitFor()
  await inspectPresent(page)
  await web.stack.api.flush()
  expect((await web.stack.api.profile(userId)).distanceKm).toBeGreaterThan(10)
  await close()
  expect(problems).toEqual([])
})
