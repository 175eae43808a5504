import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import {
  browserTest,
  evaluate,
  LANGUAGES,
  openBrowserWithScrollbars,
  openPage,
  overflow,
  SIZES,
} from './browser.ts'
import { web } from './guided.ts'
import { CALM } from './zoom.ts'

const PAGES = {
  '/': '媽祖在哪',
  '/map': '媽祖在哪',
  '/me': '我的進香',
  '/survey': '進香問卷',
  '/feedback': '意見回饋',
  '/privacy': '個人資料與隱私',
  '/lost': '有人走失了',
  '/found': '我遇到走失的人',
  '/nowhere': '找不到這個頁面',
} as const
const PATHS = Object.keys(PAGES) as (keyof typeof PAGES)[]
/** The 404 itself is an error on the console. */
const NOT_FOUND = /status of 404 .*\/nowhere/

/** Until what the page reads has arrived, and the map is drawn. */
async function settled(page: Page, path: string): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (path === '/' || path === '/map') await page.locator('.where-place').waitFor()
  if (path === '/map') await page.locator('.beacon-palanquin').waitFor()
  // Who has not joined is asked first.
  if (path === '/me' || path === '/survey') await page.locator('.join button[type=submit]:enabled').waitFor()
}

/** Where nothing may need sideways scrolling either: a narrow phone, and twice the zoom. */
const NARROWER = {
  phone: { width: 320, height: 640 },
  desktop: { width: SIZES.desktop.width / 2, height: SIZES.desktop.height / 2 },
}

for (const size of ['phone', 'desktop'] as const)
  for (const language of LANGUAGES)
    browserTest(
      `every page in ${language} on a ${size} is clean, axe finds nothing, light and dark, and 320 px or 200 % zoom are enough`,
      async () => {
        const origin = web.origin
        const { page, problems, close } = await openPage(web.browser, origin, {
          viewport: SIZES[size],
          expected: NOT_FOUND,
          // The map fades from scheme to scheme in map.cases.ts.
          ...CALM,
        })
        const inspect = async (what: string) => {
          expect([what, await overflow(page)]).toEqual([what, 0])
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            expect([what, colorScheme, ...(await violations(page))]).toEqual([what, colorScheme])
          }
        }
        for (const path of PATHS) {
          await page.goto(`${origin}${path}?lang=${language}`)
          await settled(page, path)
          await page.setViewportSize(NARROWER[size])
          expect([path, await overflow(page)]).toEqual([path, 0])
          await page.setViewportSize(SIZES[size])
          await inspect(path)
          if (path !== '/map') continue
          await page.locator('#tab-text').click()
          await page.locator('#places').waitFor()
          await inspect('/map as text')
        }
        await close()
        expect(problems).toEqual([])
      },
    )

browserTest('no page is wider than a window whose scrollbar takes room', async () => {
  const browser = await openBrowserWithScrollbars(web.stack)
  const { page, close } = await openPage(browser, web.origin, { viewport: SIZES.desktop })
  let widest = 0
  for (const path of PATHS) {
    await page.goto(`${web.origin}${path}`)
    await settled(page, path)
    widest = Math.max(
      widest,
      await evaluate<number>(page, 'innerWidth - document.documentElement.clientWidth'),
    )
    await until(async () => (await overflow(page)) === 0, { what: `${path} fits its window` })
  }
  expect(widest).toBeGreaterThan(0)
  await close()
  await browser.close()
})

browserTest('language, title and what a shared link shows are right before any script', async () => {
  const { url, caFile } = web.stack.running()
  const ca = readFileSync(caFile, 'utf8')
  for (const [path, title] of Object.entries(PAGES)) {
    const read = async (query: string, language: string) => {
      const answer = await fetch(`${url}${path}${query}`, {
        headers: { accept: 'text/html', 'accept-language': language },
        tls: { ca },
      })
      expect(answer.status).toBe(path === '/nowhere' ? 404 : 200)
      return answer.text()
    }
    for (const html of [await read('', 'zh-TW,zh;q=0.9'), await read('?lang=zh-TW', 'en')]) {
      expect(html).toContain('<html lang="zh-TW">')
      expect(html).toContain(`<title>${title} · `)
      expect(html).toContain(`<meta property="og:title" content="${title} · `)
      expect(html).toMatch(/<meta property="og:description" content="[^"]+">/)
      expect(html).toMatch(/<meta property="og:image" content="https:\/\/[^"]+">/)
    }
    const english = await read('', 'en-GB,en;q=0.9')
    expect(english).toContain('<html lang="en">')
    expect(english).not.toContain(`<title>${title}`)
  }
})
