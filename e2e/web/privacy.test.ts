import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import Type from 'typebox'
import Value from 'typebox/value'
import { browserTest, evaluate, openPage } from './browser.ts'
import { TROUBLE } from './inspect.ts'
import { joinOn, openPhone, untilStored } from './pilgrim.ts'
import { cachesOf, listen, storageOf, withAny } from './secrecy.ts'
import { answerAll, startSurvey } from './survey.ts'
import { webStack } from './web-stack.ts'

const web = webStack({ USER_AUTH: 'session', RATE_LIMITS: 'off', LIFF_URL: 'stub' })

const PERSONAL = { name: '林秘密', phone: '912765438', message: 'message-of-the-pilgrim' }
const IN_PICTURE = 'camera-of-the-pilgrim'
/** Of the check-in, the walk, the photo and the phone app. */
const PLACES = [
  { lat: 24.345678, lng: 120.623457 },
  { lat: 24.351238, lng: 120.625679 },
  { lat: 24.361237, lng: 120.631236 },
  { lat: 24.371236, lng: 120.641239 },
] as const
const POSITIONS = PLACES.flatMap(({ lat, lng }) => [String(lat), String(lng)])
/** Some ten metres: what a rounded position would still give away. */
const NEARLY = POSITIONS.map((degrees) => degrees.slice(0, -2))

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const goTo = (page: Page, { lat, lng }: (typeof PLACES)[number]) =>
  page.context().setGeolocation({ latitude: lat, longitude: lng, accuracy: 8 })
const tokenOf = async (page: Page): Promise<string> => {
  const cookies = await page.context().cookies()
  return cookies.find(({ name }) => name === '__Host-session')?.value ?? ''
}
const loaded = (path: string, init: RequestInit = {}) => {
  const { url, caFile } = web.stack.running()
  return fetch(new URL(path, url), { ...init, tls: { ca: readFileSync(caFile, 'utf8') } })
}

/** A photo as phones take it: where and with what is in its EXIF. */
const photo = async () => ({
  name: 'photo.jpg',
  mimeType: 'image/jpeg',
  buffer: await sharp({ create: { width: 320, height: 240, channels: 3, background: '#a33' } })
    .withExif({ IFD0: { Model: IN_PICTURE }, IFD3: { GPSLatitude: '24/1 21/1 40/1', GPSLatitudeRef: 'N' } })
    .jpeg()
    .toBuffer(),
})

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

/** A call of the API by a page; gives the data of the answer. */
const call = (page: Page, path: string, body: object): Promise<Record<string, string>> =>
  evaluate(
    page,
    `fetch(${JSON.stringify(`/api/event${path}`)}, { method: 'POST', headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.json()).then(({ data }) => data)`,
  )

/** A fix of a phone app, with its write token. */
async function sendByApp(token: string): Promise<void> {
  const [, , , { lat, lng }] = PLACES
  const fix = { _type: 'location', lat, lon: lng, acc: 8, tst: Math.floor(Date.now() / 1_000) - 600 }
  const authorization = `Basic ${btoa(`phone:${token}`)}`
  const answer = await loaded('/in/owntracks', {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(fix),
  })
  expect(answer.status).toBe(200)
}

browserTest(
  'what a pilgrim does is in no address, title, cache, log or picture, and after an erasure nowhere',
  async () => {
    const lineId = await somebodyInLine()
    const phone = await openPhone(web.browser, web.stack, {
      at: PLACES[0],
      expected: new RegExp(`left the origin: ${stubUrl()}|${TROUBLE.source}`),
    })
    const other = await openPhone(web.browser, web.stack, { at: PLACES[0], expected: TROUBLE })
    const family = await openPage(web.browser, web.origin, { expected: TROUBLE })
    const observed = await Promise.all([phone, other, family].map(({ page }) => listen(page.context())))
    const { page } = phone
    const secrets = new Set<string>()

    const { userId, recoveryCode } = await joinOn(page, web.stack, {
      ...PERSONAL,
      phone: `0${PERSONAL.phone}`,
      visibility: 'named',
    })
    secrets.add(recoveryCode).add(await tokenOf(page))
    await press(page, '打卡')
    await page.getByText('收到').waitFor()
    await goTo(page, PLACES[1])
    await press(page, '開始記錄')
    await untilStored(web.stack, userId, 2)
    await press(page, '停止記錄')
    await goTo(page, PLACES[2])
    await page.reload()
    await page.getByLabel('拍照打卡').setInputFiles(await photo())
    const pictures = await until(
      async () => {
        const rows = await web.stack.sql<
          { id: string }[]
        >`SELECT id FROM media.photos WHERE user_id = ${userId}`
        return rows.length === 1 && rows
      },
      { what: 'the photo' },
    )
    const { token: writeToken = '' } = await call(page, '/devices', { userId, app: 'owntracks' })
    secrets.add(writeToken)
    await sendByApp(writeToken)
    await untilStored(web.stack, userId, 4)

    await press(page, '做我的分享卡')
    const card = (await page.locator('.card-link').getAttribute('href')) ?? ''
    await page.locator('.family-link select').selectOption('24')
    await press(page, '做一個連結')
    const link = (await page.locator('.family-url').textContent()) ?? ''
    await family.page.goto(link)
    await family.page.locator('.share-place').waitFor()
    await family.page.goto(`${web.origin}${card}`)
    await family.page.getByRole('img').waitFor()

    await page.goto(`${web.origin}/survey?lang=zh-TW`)
    await startSurvey(page)
    await answerAll(page)
    await page.getByText('問卷完成了').waitFor()
    await page.goto(`${web.origin}/feedback?lang=zh-TW`)
    await page.getByLabel('感謝').check()
    await page.getByLabel('您想說的話').fill(PERSONAL.message)
    await press(page, '送出')
    await page.getByText('收到了，謝謝您。').waitFor()

    await other.page.goto(`${web.origin}/me?lang=zh-TW`)
    await other.page.getByText('我有救援碼').click()
    await other.page.getByLabel('救援碼').fill(recoveryCode)
    await press(other.page, '接回我的進香')
    await other.page.getByText('煉氣香客').waitFor()
    secrets.add((await other.page.locator('.code').textContent()) ?? '').add(await tokenOf(other.page))

    await page.goto(`${web.origin}/me?lang=zh-TW`)
    await press(page, '接到我的 LINE')
    await page.locator(`a[href*="as=${lineId}"]`).click()
    await page.waitForURL(`${web.origin}/me*`)
    await page.getByText('煉氣香客').waitFor()
    secrets.add(await tokenOf(page))
    await page.reload()
    await page.getByText('煉氣香客').waitFor()
    await untilStored(web.stack, lineId, 4)

    // Nothing of it is in what browsers, proxies and caches keep or pass on.
    expect([...secrets].every((secret) => secret.length > 20)).toBe(true)
    const ids = [userId, lineId, ...secrets]
    expect((await observed[0]?.lines())?.some((line) => line.endsWith('/user/@me'))).toBe(true)
    for (const { lines, cacheable } of observed) {
      expect((await lines()).some((line) => line.startsWith('title ') && line.length > 8)).toBe(true)
      // LINE's own page names its people.
      const ours = (await lines()).filter(
        (line) => !/^(requested|navigated) /.test(line) || line.includes(web.origin),
      )
      expect(ours.filter((line) => /^referer .*code=/.test(line))).toEqual([])
      expect(withAny(ours, [...ids, ...Object.values(PERSONAL), ...NEARLY])).toEqual([])
      expect((await cacheable()).filter(({ text }) => withAny([text], ids).length > 0)).toEqual([])
    }
    for (const one of [phone, other, family])
      expect(withAny(await cachesOf(one.page), [...ids, ...Object.values(PERSONAL), ...NEARLY])).toEqual([])
    const { home, sql } = web.stack
    const { redisUrl } = web.stack.running()
    const shared = link.slice(link.lastIndexOf('/') + 1)
    expect(searchFiles(home.logs, [...ids, shared, ...Object.values(PERSONAL), ...NEARLY])).toEqual([])
    const inStores = async (needles: readonly string[]) => [
      ...(await searchPostgres(sql, needles)),
      ...(await searchRedis(redisUrl, needles)),
      ...searchFiles(home.folder, needles, { except: ['pg', 'redis', 'toolchain'] }),
    ]
    expect(await inStores([...secrets])).toEqual([])
    // Nor is it in pictures, but for what the card shows.
    const cookie = `__Host-session=${await tokenOf(page)}`
    for (const path of [`${card}.png`, ...pictures.map(({ id }) => `/api/event/photos/${id}`)]) {
      const bytes = Buffer.from(await (await loaded(path, { headers: { cookie } })).arrayBuffer())
      const { exif, xmp, iptc, comments } = await sharp(bytes).metadata()
      expect([path, exif, xmp, iptc, comments]).toEqual([path, undefined, undefined, undefined, undefined])
      expect(withAny([bytes.toString('latin1')], [...ids, ...POSITIONS, IN_PICTURE, PERSONAL.phone])).toEqual(
        [],
      )
    }

    // What they wrote is theirs, and goes with them.
    const [feedback] = await sql`SELECT user_id FROM engagement.feedback`
    expect(feedback?.user_id).toBe(lineId)
    const all = [...ids, shared, ...Object.values(PERSONAL), ...POSITIONS]
    expect((await inStores(all)).length).toBeGreaterThan(10)
    for (const one of [other, family]) await one.close()
    await press(page, '刪除我的所有資料')
    await press(page, '是的，刪除')
    await press(page, '永久刪除')
    await page.getByText('您的資料已全部刪除').waitFor()
    expect(await inStores(all)).toEqual([])
    expect(withAny([...(await storageOf(page)), ...(await cachesOf(page))], all)).toEqual([])
    expect(await tokenOf(page)).toBe('')
    await phone.close()
    expect([...phone.problems, ...other.problems, ...family.problems]).toEqual([])
  },
)
