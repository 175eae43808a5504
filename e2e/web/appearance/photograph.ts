import { until } from '@palanquin/testing/until'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { BAISHATUN } from '../seed.ts'
import { NOW } from './activity.ts'
import { answerWith } from './answers.ts'
import type { Scene } from './scenes.ts'

/** The height of a map on a screen of 844 pixels. */
const MAP_PX = 523

type View = { viewport: { width: number; height: number }; language: string }

/** Dates stand still, those of answers and fixes too, while timers and animation frames go on. */
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
  Object.defineProperty(GeolocationPosition.prototype, 'timestamp', { get: () => now })
  const { get } = Headers.prototype
  Headers.prototype.get = function (name) {
    return name === 'date' ? new Real(now).toUTCString() : get.call(this, name)
  }
}`
/** The jitter of the wait after a 503, in scenes that fail alone: a map makes its ids of random numbers. */
const NO_JITTER = "if (new URLSearchParams(location.search).has('failing')) Math.random = () => 0.5"
/** The window is made as high as the page: a map that grew with it would make the page higher again. */
const MAP_STAYS = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('.map { height: ${MAP_PX}px !important }')
  document.adoptedStyleSheets.push(sheet)
}`
/** What a scene leaves behind; the browser's cache of assets stays. */
const KEPT = 'cookies,indexeddb,local_storage,cache_storage'

/** A page in one language and size that takes the scenes one after the other. */
export type Studio = {
  /** Takes pictures of the whole page in one scene, or of its window, until one is accepted. */
  photograph: (
    scene: Scene,
    isAccepted: (picture: Buffer, alike: number) => Promise<boolean>,
  ) => Promise<Buffer>
  close: () => Promise<void>
}

export async function openStudio(
  browser: Browser,
  origin: string,
  { viewport, language }: View,
): Promise<Studio> {
  const { page, close } = await openPage(browser, origin, {
    viewport,
    serviceWorkers: 'block',
    timezoneId: 'Asia/Taipei',
    reducedMotion: 'reduce',
    geolocation: { latitude: BAISHATUN.lat, longitude: BAISHATUN.lng, accuracy: 8 },
    permissions: ['geolocation'],
  })
  await page.addInitScript(STILL)
  await page.addInitScript(NO_JITTER)
  await page.addInitScript(MAP_STAYS)
  const devtools = await page.context().newCDPSession(page)
  let present: Scene | undefined
  await answerWith(devtools, origin, () => {
    if (present === undefined) throw new Error('the page asks before its first scene')
    return present
  })

  const photograph: Studio['photograph'] = async (scene, isAccepted) => {
    await page.goto('about:blank')
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: KEPT })
    await page.context().setOffline(false)
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: scene.colorScheme ?? 'light', reducedMotion: 'reduce' })
    present = scene
    const failing = scene.failing === undefined ? '' : `&failing=${scene.failing}`
    await page.goto(`${origin}${scene.path}?lang=${language}${failing}`)
    if (scene.act) {
      await page.waitForLoadState('networkidle')
      await scene.act(page)
    }
    await page.locator(scene.ready).first().waitFor()
    let last: Buffer = Buffer.alloc(0)
    let alike = 0
    return until(
      async () => {
        if (scene.only !== 'window') await showWhole(page, devtools, viewport)
        const next = await capture(devtools)
        alike = next.equals(last) ? alike + 1 : 1
        last = next
        return (await isAccepted(next, alike)) && next
      },
      { what: `an accepted picture of ${scene.name}` },
    )
  }
  return { photograph, close }
}

/** A PNG of the page as it stands, packed fast: it is read once. */
async function capture(devtools: CDPSession): Promise<Buffer> {
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true })
  return Buffer.from(data, 'base64')
}

/** Beyond its window Chromium photographs a page with other sizes for a moment. */
async function showWhole(
  page: Page,
  devtools: CDPSession,
  { width, height }: View['viewport'],
): Promise<void> {
  const expression = 'document.documentElement.getBoundingClientRect().height'
  // On this session: one that ends lets a page that is offline believe that it is not.
  const { result } = await devtools.send('Runtime.evaluate', { expression, returnByValue: true })
  const ofPage = Number(result.value)
  const whole = { width, height: Math.max(height, Math.round(ofPage)) }
  if (page.viewportSize()?.height !== whole.height) await page.setViewportSize(whole)
}
