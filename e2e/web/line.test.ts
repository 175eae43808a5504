import { expect } from 'bun:test'
import { dataOf } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import Type from 'typebox'
import Value from 'typebox/value'
import { browserTest } from './browser.ts'
import { inspectPresent } from './inspect.ts'
import { joinOn, openPhone } from './pilgrim.ts'
import { webStack } from './web-stack.ts'

/** LINE in front of `/me`: as a LIFF app, by LINE Login, and joined to the walk of a phone. */

const web = webStack({ USER_AUTH: 'session', LIFF_URL: 'stub' })
const stubUrl = () => web.stack.running().line.stubUrl ?? ''

async function somebodyInLine(): Promise<string> {
  const answer = await fetch(`${stubUrl()}_stub/people`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ count: 1 }),
  })
  const { userIds } = Value.Parse(Type.Object({ userIds: Type.Array(Type.String()) }), await answer.json())
  return userIds[0] ?? ''
}

/** A phone whose pages may also reach the LINE of these tests. */
const openWithLine = () =>
  openPhone(web.browser, web.stack, {
    expected: new RegExp(`left the origin: ${stubUrl()}|Failed to load resource`),
  })

const Checkins = Type.Object({ userId: Type.String(), checkins: Type.Integer() })
const checkinsOf = async (userId: string) =>
  dataOf(Checkins, await web.stack.api.get(`/user/${userId}`)).checkins
const untilCounted = (userId: string, count: number) =>
  until(async () => (await checkinsOf(userId)) === count, { what: `${count} check-ins` })

const SignedIn = Type.Object({ data: Type.Object({ userId: Type.String(), kind: Type.String() }) })
async function sessionOf(page: Page) {
  const answer = await page.request.get(`${web.origin}/api/event/session`, { ignoreHTTPSErrors: true })
  return Value.Parse(SignedIn, await answer.json()).data
}
const checkIn = (page: Page) => page.getByRole('button', { name: '打卡', exact: true }).click()

browserTest(
  'inside LINE a link to /me signs in who opened it, asks for consent once, and checks in',
  async () => {
    const userId = await somebodyInLine()
    const { page, problems, requests, close } = await openWithLine()
    const open = () => page.goto(`${stubUrl()}liff/1656000000-standin0/me?as=${userId}`)
    await open()
    await until(async () => (await sessionOf(page)).kind === 'line', { what: 'the session of who opened it' })
    await page.getByRole('button', { name: '同意並加入' }).click()
    await checkIn(page)
    await page.getByText('收到').waitFor()
    await untilCounted(userId, 1)
    expect(await sessionOf(page)).toMatchObject({ userId, kind: 'line' })
    // No code to come back with is offered, nor joining LINE to itself.
    expect(await page.locator('.code').count()).toBe(0)
    expect(await page.getByRole('button', { name: '接到我的 LINE' }).count()).toBe(0)
    await open()
    await page.getByText('煉氣香客').waitFor()
    expect(await page.getByRole('button', { name: '同意並加入' }).count()).toBe(0)
    const ours = requests.filter(({ url }) => url.startsWith(web.origin))
    expect(ours.filter(({ url }) => url.split('#')[0]?.includes(userId))).toEqual([])
    expect(ours.filter(({ url }) => url.split('#')[0]?.includes('id_token'))).toEqual([])
    await close()
    expect(problems).toEqual([])
  },
)

browserTest(
  'outside of LINE the same person signs in at LINE and comes back without a code in the address',
  async () => {
    const userId = await somebodyInLine()
    const { page, problems, close } = await openWithLine()
    await page.goto(`${web.origin}/me?lang=zh-TW`)
    await page.getByRole('button', { name: '用 LINE 登入' }).waitFor()
    await inspectPresent(page)
    await page.getByRole('button', { name: '用 LINE 登入' }).click()
    await page.locator(`a[href*="as=${userId}"]`).click()
    await page.getByRole('button', { name: '同意並加入' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await sessionOf(page)).toMatchObject({ userId, kind: 'line' })
    // Who does not want to be on the map walks all the same.
    await page.getByRole('button', { name: '不同意' }).click()
    await checkIn(page)
    await page.getByText('收到').waitFor()
    await untilCounted(userId, 1)
    await close()
    expect(problems).toEqual([])
  },
)

browserTest(
  'a code that this phone did not ask for, and a refusal at LINE, are shown and sign no one in',
  async () => {
    const { page, problems, requests, close } = await openWithLine()
    await page.goto(`${web.origin}/me?lang=zh-TW&code=stolen&state=made-up`)
    await page.getByText('LINE 登入沒有完成').waitFor()
    expect(new URL(page.url()).search).toBe('?lang=zh-TW')
    await page.goto(`${web.origin}/me?lang=zh-TW&error=access_denied&state=made-up`)
    await page.getByText('您沒有在 LINE 同意登入').waitFor()
    expect(requests.filter(({ body }) => body !== '')).toEqual([])
    await close()
    expect(problems).toEqual([])
  },
)

browserTest('a walk without LINE is joined to LINE, with what still waits on the phone', async () => {
  const userId = await somebodyInLine()
  const { page, problems, close } = await openWithLine()
  const device = await joinOn(page, web.stack)
  await page.getByRole('button', { name: '我已經收好了' }).click()
  await page.route('**/checkin', (route) => route.abort())
  await checkIn(page)
  await page.getByText('已記下，等待上傳').waitFor()
  await page.getByRole('button', { name: '接到我的 LINE' }).click()
  await page.locator(`a[href*="as=${userId}"]`).click()
  // They have agreed before: the consent came along.
  await page.getByText('已記下，等待上傳').waitFor()
  expect(await sessionOf(page)).toMatchObject({ userId, kind: 'line' })
  await page.unroute('**/checkin')
  await page.reload()
  await untilCounted(userId, 1)
  expect((await web.stack.api.get(`/user/${device.userId}`)).status).toBe(404)
  await close()
  expect(problems).toEqual([])
})
