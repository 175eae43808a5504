import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import { browserTest, LANGUAGES, openPage, overflow, SIZES } from './browser.ts'
import { appointPalanquin, BAISHATUN, palanquinAt, publishGuide } from './seed.ts'
import { webStack } from './web-stack.ts'

const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, BAISHATUN)
  await publishGuide(web.stack)
})

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
  if (path === '/me') await page.locator('.join button[type=submit]:enabled').waitFor()
  if (path === '/survey') await page.locator('.button-main').waitFor()
}

for (const [size, viewport] of Object.entries(SIZES))
  for (const language of LANGUAGES)
    browserTest(
      `every page in ${language} on a ${size} is clean, and axe finds nothing, light and dark`,
      async () => {
        const origin = web.origin
        const { page, problems, close } = await openPage(web.browser, origin, {
          viewport,
          expected: NOT_FOUND,
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

browserTest('320 px and 200 % zoom need no sideways scrolling', async () => {
  const origin = web.origin
  const { page, close } = await openPage(web.browser, origin)
  for (const path of PATHS)
    for (const language of LANGUAGES) {
      await page.goto(`${origin}${path}?lang=${language}`)
      await settled(page, path)
      for (const { width, height } of [
        { width: 320, height: 640 },
        // Twice the zoom is half the window, in CSS pixels.
        { width: SIZES.desktop.width / 2, height: SIZES.desktop.height / 2 },
      ]) {
        await page.setViewportSize({ width, height })
        expect([path, language, width, await overflow(page)]).toEqual([path, language, width, 0])
      }
    }
  await close()
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
