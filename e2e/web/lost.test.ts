import { afterAll, expect } from 'bun:test'
import { testLine } from '@palanquin/line-simulator/stub'
import { dataOf } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import Type from 'typebox'
import { violations } from './axe.ts'
import { browserTest, openPage, overflow } from './browser.ts'
import { TROUBLE } from './inspect.ts'
import { BAISHATUN } from './seed.ts'
import { webStack } from './web-stack.ts'

const line = testLine()
afterAll(() => line.close())
const web = webStack({ LINE: '', ...line.environment, PUBLIC_BASE_URL: 'https://walk.example' })

/** Noise does not compress: as large as a phone's photo, which the service does not take at that path. */
const LARGE_PHOTO = `(async () => {
  const canvas = new OffscreenCanvas(640, 480)
  const context = canvas.getContext('2d')
  const image = context.createImageData(640, 480)
  for (let at = 0; at < image.data.length; at += 65536)
    crypto.getRandomValues(image.data.subarray(at, at + 65536))
  context.putImageData(image, 0, 0)
  return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg' })).arrayBuffer())]
})()`

const Cases = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      about: Type.String(),
      phone: Type.String(),
      photo: Type.Union([Type.String(), Type.Null()]),
      place: Type.Unknown(),
      status: Type.String(),
    }),
  ),
})
const cases = async () =>
  dataOf(Cases, await web.stack.api.get('/admin/lost', web.stack.api.as('manager'))).items
const answer = async (id: string, body: object) => {
  const { status } = await web.stack.api.patch(`/admin/lost/${id}`, body, web.stack.api.as('manager'))
  expect(status).toBe(200)
}
/** A volunteer whose last position is so many degrees north of Baishatun. */
async function volunteer(north: number): Promise<string> {
  const { userId } = line.control.people.add({ displayName: '志工' })
  const { api } = web.stack
  expect((await api.post('/admin/roles', { userId, role: 'volunteer' }, api.as('owner'))).status).toBe(200)
  const place = { lat: BAISHATUN.lat + north, lng: BAISHATUN.lng }
  expect((await api.post('/checkin', { userId, ...place })).status).toBe(202)
  return userId
}
/** How many pushes, each of which may have several messages. */
const pushesTo = (userId: string) =>
  new Set(line.control.deliveries.received(userId).map(({ requestId }) => requestId)).size
const fill = async (page: Page, about: string) => {
  await page.getByLabel('走失的人是誰、什麼樣子？').fill(about)
  await page.getByLabel('您的電話').fill('0912-345-678')
}

browserTest('a report reaches one volunteer nearby once, and the answer comes back to the page', async () => {
  const [near, far] = [await volunteer(0.03), await volunteer(0.18)]
  const { page, problems, close } = await openPage(web.browser, web.origin, {
    geolocation: { latitude: BAISHATUN.lat, longitude: BAISHATUN.lng, accuracy: 12 },
    permissions: ['geolocation'],
  })
  await page.goto(`${web.origin}/lost`)
  expect(
    await page.locator('.calls a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(['tel:119', 'tel:110'])
  await page.getByRole('button', { name: '送出通報' }).click()
  await page.getByRole('alert').getByText('請寫下是誰、什麼樣子。').waitFor()
  await page.locator('textarea:focus').waitFor()
  expect(await violations(page)).toEqual([])
  await fill(page, '奶奶 <b>紅色外套</b>')
  await page.getByRole('button', { name: '附上我現在的位置' }).click()
  await page.getByText('誤差約 12 公尺').waitFor()
  await page.getByRole('button', { name: '送出通報' }).click()
  await page.getByText('收到通報了').waitFor()
  await page.getByText('附近有 1 位志工會收到通知。').waitFor()
  await page.getByText('走失 · 已收到').waitFor()
  expect(await violations(page)).toEqual([])
  const [reported] = await cases()
  expect(reported).toMatchObject({
    about: '奶奶 <b>紅色外套</b>',
    phone: '+886912345678',
    status: 'open',
    photo: null,
    place: BAISHATUN,
  })

  const received = () => line.control.deliveries.received(near).map(({ message }) => JSON.stringify(message))
  await until(() => received().length > 0, { what: 'the message to the volunteer' })
  expect(received()[0]).toContain('奶奶 <b>紅色外套</b>')
  expect(received().join()).toContain('通霄鎮')
  expect(received().join()).not.toMatch(/912\D?345\D?678/)
  expect(pushesTo(near)).toBe(1)

  await answer(reported?.id ?? '', { status: 'taken', reply: '正在<i>找</i>，請留在原地' })
  await page.reload()
  await page.getByText('走失 · 有人處理中').waitFor()
  await page.getByText('正在<i>找</i>，請留在原地').waitFor()
  await page.getByRole('button', { name: '已經找到了' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: '確定結案' }).click()
  await page.getByText('走失 · 已結案').waitFor()
  expect((await cases())[0]?.status).toBe('closed')
  await close()
  expect(problems).toEqual([])
  expect([pushesTo(near), pushesTo(far)]).toEqual([1, 0])
  const notified = await web.stack.sql`SELECT user_id FROM line.lost_notified`
  expect(notified.map(({ user_id }) => user_id)).toEqual([near])
})

browserTest(
  'without a network a report waits, and one whose answer is lost arrives once, with its photo',
  async () => {
    const { page, problems, close } = await openPage(web.browser, web.origin, {
      viewport: { width: 320, height: 700 },
      expected: TROUBLE,
    })
    await page.goto(`${web.origin}/lost`)
    await fill(page, '弟弟，六歲')
    const large = await page.context().newCDPSession(page)
    const { result } = await large.send('Runtime.evaluate', {
      expression: LARGE_PHOTO,
      awaitPromise: true,
      returnByValue: true,
    })
    const buffer = Buffer.from(result.value)
    expect(buffer.byteLength).toBeGreaterThan(150_000)
    await page.getByLabel('照片（可不附）').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer })
    expect(await overflow(page)).toBe(0)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: '送出通報' }).click()
    await page.getByText('連上網路後會自動送出').waitFor()
    expect(await violations(page)).toEqual([])
    // The first answer is lost on its way: the report has arrived, and the page cannot know it.
    let lost = 0
    await page.route('**/lost', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.fallback()
      const { status } = await web.stack.api.post('/lost', JSON.parse(route.request().postData() ?? ''))
      expect(status).toBe(201)
      await route.abort()
    })
    await page.context().setOffline(false)
    await page.getByText('連上網路後請再按一次送出').waitFor()
    await page.getByRole('button', { name: '送出通報' }).click()
    await page.getByText('收到通報了').waitFor()
    const found = (await cases()).filter(({ about }) => about === '弟弟，六歲')
    expect(found.map(({ place }) => place)).toEqual([null])
    const picture = await web.stack.api.get(`/feedback-image/${found[0]?.photo}.png`)
    expect(picture.status).toBe(200)
    await close()
    expect(problems).toEqual([])
  },
)

browserTest(
  'an invalid phone number is said in the reader’s language, and the draft survives a reload',
  async () => {
    const { page, problems, close } = await openPage(web.browser, web.origin, { expected: /status of 400/ })
    await page.goto(`${web.origin}/found?lang=en`)
    await page.getByLabel('Whom did you find').fill('A boy of six')
    await page.getByLabel('Your phone number').fill('12')
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.getByText('This is not a phone number.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.reload()
    const about = page.getByLabel('Whom did you find')
    await until(async () => (await about.inputValue()) === 'A boy of six', { what: 'the draft' })
    await page.getByLabel('Your phone number').fill('+886 912 345 678')
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.getByText('Found · Received').waitFor()
    await close()
    expect(problems).toEqual([])
  },
)
