import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { searchFiles } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { browserTest, LANGUAGES, openPage, overflow, SIZES } from './browser.ts'
import { inspectPresent, TROUBLE } from './inspect.ts'
import { joinOn, openPhone } from './pilgrim.ts'
import { web } from './plain.ts'

const PATIENCE_MS = 120_000

/** Joins on one phone and makes a set-up link there. */
async function linkOf(phone: Page): Promise<string> {
  const section = phone.locator('.phone-apps')
  const link = section.getByRole('link', { name: '在這支手機打開' })
  await section.getByRole('button', { name: '建立設定連結' }).click()
  await link.waitFor()
  await section.getByRole('img', { name: '設定連結的 QR 碼，給另一支手機掃描' }).waitFor()
  return new URL((await link.getAttribute('href')) ?? '', web.origin).pathname
}
const person = async () => {
  const phone = await openPhone(web.browser, web.stack)
  await joinOn(phone.page, web.stack)
  await phone.page.locator('.recovery button').click()
  return phone
}
const another = (options = {}) => openPage(web.browser, web.origin, { expected: TROUBLE, ...options })

type Configuration = { url: string; username: string; password: string }
/** The settings in the link, as OwnTracks reads them: a query parameter of base64, and in it JSON. */
async function ownTracksOf(page: Page): Promise<Configuration> {
  const link = page.getByRole('link', { name: /OwnTracks/ })
  await link.waitFor()
  const inline = new URL((await link.getAttribute('href')) ?? '').searchParams.get('inline') ?? ''
  return JSON.parse(Buffer.from(inline, 'base64').toString('utf8'))
}
/** A point as OwnTracks sends it with those settings. */
const send = ({ url, username, password }: Configuration) =>
  fetch(`${web.origin}${new URL(url).pathname}`, {
    tls: { ca: readFileSync(web.stack.running().caFile, 'utf8') },
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${username}:${password}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      _type: 'location',
      lat: 24.5663,
      lon: 120.7081,
      acc: 8,
      batt: 64,
      tst: Math.floor(Date.now() / 1_000),
    }),
  })

browserTest('another phone is set up by a link, sees its first point arrive, and is revoked', async () => {
  const phone = await person()
  const path = await linkOf(phone.page)
  const { page, problems, close } = await another()
  const code = path.slice('/setup/'.length)
  const referers: string[] = []
  page.on('request', (request) => referers.push(request.headers().referer ?? ''))
  await page.goto(`${web.origin}${path}?lang=en`)
  await page.getByLabel('Choose an app').selectOption('owntracks')
  await page.getByRole('button', { name: 'Use OwnTracks' }).click()
  const configuration = await ownTracksOf(page)
  expect(new URL(page.url()).pathname).toBe(path)
  expect(page.url() + (await page.title())).not.toContain(configuration.password)
  await page.getByText('Waiting for the first position').waitFor()
  expect((await send(configuration)).status).toBe(200)
  await page.getByText('The first position has arrived! OwnTracks is set up.').waitFor()
  // The page remembers what it chose.
  await page.reload()
  expect(await ownTracksOf(page)).toEqual(configuration)

  await phone.page.reload()
  const item = phone.page.locator('.phone-app-list li')
  await item.getByText('OwnTracks').first().waitFor()
  await item.getByText('電量 64 %').waitFor()
  await item.getByRole('button', { name: '撤銷 OwnTracks' }).click()
  await item.getByRole('button', { name: '是', exact: true }).click()
  await page.getByText('This app was revoked').waitFor()
  await until(async () => (await send(configuration)).status === 401, { what: 'the token is refused' })
  // The code is in the address alone, and in nothing that outlives it.
  expect(await page.title()).not.toContain(code)
  expect(referers.length).toBeGreaterThan(0)
  expect(referers.filter((referer) => referer !== '')).toEqual([])
  const written = { except: ['pg', 'redis', 'toolchain'] }
  expect(searchFiles(web.stack.home.folder, [code, configuration.password], written)).toEqual([])
  expect(problems).toEqual([])
  await close()
  await phone.close()
})

browserTest('a page that waits in vain says so after two minutes', async () => {
  const phone = await person()
  const { page, close } = await another()
  await page.clock.install()
  await page.goto(`${web.origin}${await linkOf(phone.page)}?lang=en`)
  await page.getByRole('button', { name: 'Use ' }).first().click()
  await page.getByText('Waiting for the first position').waitFor()
  await page.clock.fastForward(PATIENCE_MS)
  await page.getByText('Nothing has arrived for two minutes').waitFor()
  await inspectPresent(page)
  await close()
  await phone.close()
})

browserTest('an unknown, expired or used link, and the page without one, say what to do', async () => {
  const phone = await person()
  const path = await linkOf(phone.page)
  const { page, close } = await another()
  const shows = async (at: string, text: string) => {
    await page.goto(`${web.origin}${at}?lang=en`)
    await page.getByText(text).waitFor()
  }
  await shows('/setup', 'Set-up links are made on')
  await shows(`/setup/${'x'.repeat(22)}`, 'There is no such set-up link')
  await shows(path, 'Choose an app')
  await page.getByRole('button', { name: 'Use ' }).first().click()
  await page.getByText('Waiting for the first position').waitFor()
  const third = await another()
  await third.page.goto(`${web.origin}${path}?lang=en`)
  await third.page.getByText('opened in another browser').waitFor()
  await third.close()
  await phone.page.reload()
  const unused = await linkOf(phone.page)
  await web.stack.sql`UPDATE engagement.setup_links SET expires_at = now()`
  await shows(unused, 'This set-up link has expired')
  await close()
  await phone.close()
})

const NARROW = { width: 320, height: 700 }

browserTest(
  'the set-up page is clean in both languages, light and dark, on narrow phones and desktops',
  async () => {
    const phone = await person()
    for (const language of LANGUAGES) {
      await phone.page.reload()
      const path = await linkOf(phone.page)
      const { page, problems, close } = await another({ viewport: NARROW })
      const answer = await page.goto(`${web.origin}${path}?lang=${language}`)
      expect(answer?.headers()['referrer-policy']).toBe('no-referrer')
      const inspectAll = async () => {
        await page.setViewportSize(NARROW)
        await inspectPresent(page)
        await page.setViewportSize(SIZES.desktop)
        expect(await overflow(page)).toBe(0)
      }
      const form = page.locator('form')
      await form.waitFor()
      await inspectAll()
      await form.getByRole('combobox').last().selectOption('owntracks')
      await form.getByRole('button').click()
      await ownTracksOf(page)
      await page.locator('svg.qr').waitFor()
      await inspectAll()
      expect(problems).toEqual([])
      await close()
    }
    await phone.close()
  },
)
