import { expect } from 'bun:test'
import { browserTest, evaluate, LANGUAGES, openPage } from './browser.ts'
import { web } from './guided.ts'

/** What each page says while no script has run. */
const SAYS = {
  '/': ['正在查詢鑾轎的位置', 'Looking for the palanquin'],
  '/map': ['正在查詢鑾轎的位置', 'Looking for the palanquin'],
  '/me': ['正在讀取您的紀錄', 'Reading your record'],
  '/survey': ['正在讀取問卷', 'Loading the survey'],
  '/feedback': ['遇到問題、有建議', 'Tell us'],
  '/privacy': ['少於三人的區域不顯示', 'fewer than three'],
  '/lost': ['撥打 119', 'Call 119'],
  '/found': ['請陪他待在安全的地方', 'Stay with the person'],
  '/setup': ['用手機上的定位 App', 'Use an app on your phone'],
  '/nowhere': ['連結可能已經失效', 'The link may have expired'],
} as const

browserTest('every page says something without JavaScript, in both languages', async () => {
  const { page, close } = await openPage(web.browser, web.origin, {
    javaScriptEnabled: false,
    expected: /404/,
  })
  for (const [path, sentences] of Object.entries(SAYS))
    for (const [index, language] of LANGUAGES.entries()) {
      await page.goto(`${web.origin}${path}?lang=${language}`)
      expect([path, await page.locator('body').textContent()]).toEqual([
        path,
        expect.stringContaining(sentences[index] ?? ''),
      ])
      expect(await page.locator('noscript').textContent()).toContain('119')
    }
  await close()
})

const MARK = `for (const one of document.querySelectorAll('#app *')) one.builtAs = one.outerHTML; document.querySelectorAll('#app *').length`
/** Elements of the page that were not in its HTML, and stand in the frame that was. */
const REMADE = `[...document.querySelectorAll('h1, main, header, .doors a, .tabs button, footer')]
  .filter((one) => one.builtAs === undefined).map((one) => one.outerHTML.slice(0, 90))`

browserTest('a script takes over the elements that the HTML has, and makes none of them anew', async () => {
  for (const path of ['/', '/map', '/me', '/survey', '/lost', '/privacy']) {
    const { page, problems, close } = await openPage(web.browser, web.origin, { serviceWorkers: 'block' })
    let run = () => {}
    const held = new Promise<void>((resolve) => {
      run = resolve
    })
    await page.route('**/assets/*.js', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(web.origin + path, { waitUntil: 'commit' })
    await page.locator('main h1').waitFor({ state: 'attached' })
    expect(await evaluate<number>(page, MARK)).toBeGreaterThan(5)
    run()
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    expect([path, ...(await evaluate<string[]>(page, REMADE))]).toEqual([path])
    expect(await page.locator('main').count()).toBe(1)
    await close()
    expect(problems).toEqual([])
  }
})
