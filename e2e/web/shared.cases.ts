import { beforeAll, expect } from 'bun:test'
import { dataOf } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { makeCard } from '../make-card.ts'
import { violations } from './axe.ts'
import { browserTest, HAS_CHROMIUM, LANGUAGES, openPage, overflow, SIZES } from './browser.ts'
import { web } from './plain.ts'

let card: string
let link: string
let headers: Record<string, string>
beforeAll(async () => {
  if (!HAS_CHROMIUM) return
  const { api } = web.stack
  const signedIn = await api.post('/session', { device: true })
  const { userId } = dataOf(Type.Object({ userId: Type.String() }), signedIn)
  headers = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '', origin: web.origin }
  await api.post('/user/sync', { userId, displayName: '林媽媽' })
  await api.post('/checkin', { userId, lat: 24.5663, lng: 120.7081, accuracy: 8, battery: 17 })
  const made = await makeCard(api, { userId })
  card = new URL(dataOf(Type.Object({ shareUrl: Type.String() }), made).shareUrl, web.origin).pathname
  const opened = await api.post('/share', { hours: 24 }, { headers })
  const { token } = dataOf(Type.Object({ token: Type.String() }), opened)
  link = `/s/${token}`
  await until(async () => JSON.stringify((await api.get(`/share/${token}`)).body).includes('"battery":17'), {
    what: 'the position of the link',
  })
})

const WORDS = {
  'zh-TW': { card: '林媽媽的進香卡', place: '苗栗縣通霄鎮', ended: '這個連結已經結束' },
  en: { card: 'The pilgrimage card of 林媽媽', place: 'Tongxiao Township', ended: 'This link has ended' },
} as const

for (const [size, viewport] of Object.entries(SIZES))
  for (const language of LANGUAGES)
    browserTest(
      `a shared card and a family link in ${language} on a ${size} are clean, light and dark`,
      async () => {
        const { page, problems, close } = await openPage(web.browser, web.origin, { viewport })
        const inspect = async (what: string) => {
          expect([what, await overflow(page)]).toEqual([what, 0])
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            expect([what, colorScheme, ...(await violations(page))]).toEqual([what, colorScheme])
          }
        }
        const words = WORDS[language]
        await page.goto(`${web.origin}${card}?lang=${language}`)
        await page.getByRole('heading', { name: words.card }).waitFor()
        const picture = page.getByRole('img')
        await until(
          async () => picture.evaluate((one) => 'naturalWidth' in one && one.naturalWidth === 1200),
          { what: 'the picture of the card' },
        )
        await inspect('card')
        await page.goto(`${web.origin}${link}?lang=${language}`)
        await page.getByText(words.place).waitFor()
        await page.getByText('17 %').waitFor()
        await page.locator('.map canvas').waitFor()
        await page.locator('.map-loading').waitFor({ state: 'detached' })
        await inspect('link')
        expect(problems).toEqual([])
        await close()
      },
    )

browserTest('a link that is taken back while it is open says so by itself', async () => {
  const { page, close } = await openPage(web.browser, web.origin, { expected: /status of 410/ })
  await page.goto(`${web.origin}${link}?lang=en`)
  await page.getByText(WORDS.en.place).waitFor()
  expect((await web.stack.api.delete('/share', { headers })).status).toBe(200)
  await page.getByRole('heading', { name: WORDS.en.ended }).waitFor()
  expect(await violations(page)).toEqual([])
  await close()
})
