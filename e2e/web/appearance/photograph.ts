import { until } from '@palanquin/testing/until'
import type { Browser, Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { answersAt, NOW } from './activity.ts'
import type { Scene } from './scenes.ts'

type View = { viewport: { width: number; height: number }; language: string }

/** Dates stand still, while timers and animation frames go on: a map needs those. */
const STILL = `{
  const now = ${Date.parse(NOW)}
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...args) {
      if (args.length === 0) super(now)
      else super(...args)
    }
    static now() {
      return now
    }
  }
}`

/** A picture of the whole page in one scene, language and size, once two in a row are the same. */
export async function photograph(
  browser: Browser,
  origin: string,
  { scene, viewport, language }: View & { scene: Scene },
): Promise<Buffer> {
  const { page, close } = await openPage(browser, origin, {
    ...{ viewport, colorScheme: scene.colorScheme ?? 'light', serviceWorkers: 'block' },
    ...{ timezoneId: 'Asia/Taipei', reducedMotion: 'reduce' },
  })
  await page.addInitScript(STILL)
  // The jitter of the wait after a 503. A map makes its ids of random numbers.
  if (scene.failing) await page.addInitScript('Math.random = () => 0.5')
  await answer(page, scene)
  await page.goto(`${origin}${scene.path}?lang=${language}`)
  if (scene.act) {
    await page.waitForLoadState('networkidle')
    await scene.act(page)
  }
  await page.locator(scene.ready).first().waitFor()
  let before: Buffer = Buffer.alloc(0)
  const picture = await until(
    async () => {
      const last = before
      before = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })
      return before.equals(last) && before
    },
    { what: `${scene.name} standing still` },
  )
  await close()
  return picture
}

async function answer(page: Page, { moment, failing }: Scene): Promise<void> {
  const answers = Object.entries(answersAt({ status: 'active', palanquin: 'live', ...moment }))
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url())
    const [, known] = answers.find(([end]) => pathname.endsWith(end)) ?? []
    if (known === undefined) return route.continue()
    if (failing === undefined) return route.fulfill({ json: { data: known } })
    return route.fulfill({ status: failing, headers: { 'retry-after': '40' }, json: { error: 'Busy.' } })
  })
}
