import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dataOf } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'
import type { Page } from 'playwright-core'
import Type from 'typebox'
import { browserTest, evaluate, openPage } from './browser.ts'
import { appointPalanquin, DAJIA, palanquinAt, publishGuide } from './seed.ts'
import { type Traffic, watchTraffic } from './traffic.ts'
import { webStack } from './web-stack.ts'

let family: string
let pilgrim: string
const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, DAJIA)
  await publishGuide(web.stack)
  const { api } = web.stack
  const signedIn = await api.post('/session', { device: true })
  const { userId } = dataOf(Type.Object({ userId: Type.String() }), signedIn)
  pilgrim = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  await api.post('/privacy', { userId, consent: true, version: '1', visibility: 'named' })
  await api.post('/checkin', { userId, ...DAJIA, accuracy: 8 })
  const headers = { cookie: pilgrim, origin: web.origin }
  const opened = await api.post('/share', { hours: 24 }, { headers })
  family = dataOf(Type.Object({ token: Type.String() }), opened).token
})

/** Web face, section 1, "Budget". */
const KB = 1_000
const SCRIPT_MAX = 30 * KB
const CSS_MAX = 10 * KB
const FIRST_VIEW_MAX = 900 * KB
const SECOND_VIEW_MAX = 20 * KB
const STANDING_MAX = 2 * KB
/** What the page needs before it says its sentence: what its HTML names. */
const namedIn = (html: string, origin: string): string[] =>
  [
    ...html.matchAll(/<(?:script type="module" src|link rel="(?:modulepreload|stylesheet)" href)="([^"]+)"/g),
  ].map(([, path = '']) => new URL(path, origin).href)

/** A page that is counted. Without a service worker, which would answer in place of the network: the worse case. */
async function openCounted(path: string, { drawn, cookie }: { drawn: string; cookie?: string }) {
  const { url } = web.stack.running()
  const watched = await openPage(web.browser, url, { serviceWorkers: 'block' })
  const [name = '', value = ''] = cookie?.split('=') ?? []
  if (cookie) await watched.page.context().addCookies([{ name, value, url, secure: true, httpOnly: true }])
  const traffic = await watchTraffic(watched.page)
  const named = async () => {
    const document = await watched.page.goto(url + path, { waitUntil: 'commit' })
    return namedIn((await document?.text()) ?? '', url)
  }
  const first = await named()
  await watched.page.locator(drawn).waitFor()
  await quiet(traffic, watched.page)
  return { ...watched, traffic, first }
}

/** What the map's worker weighs: Chromium counts what it loads as its own, not as the page's. */
async function workerBytes(page: Page): Promise<number> {
  const worker = await evaluate<string | null>(
    page,
    "document.querySelector('meta[name=map-worker]')?.content ?? null",
  )
  if (worker === null) return 0
  const { url, caFile } = web.stack.running()
  const response = await fetch(new URL(worker, url), {
    decompress: false,
    headers: { 'accept-encoding': 'gzip' },
    tls: { ca: readFileSync(caFile, 'utf8') },
  })
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  return (await response.bytes()).length
}

/** Until everything that was asked for has come. */
async function quiet(traffic: Traffic, page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  expect(traffic.bytes()).toBeGreaterThan(0)
}
const sumOf = (traffic: Traffic, urls: readonly string[], type: string): number =>
  traffic.loaded
    .filter((one) => one.type === type && urls.includes(one.url))
    .reduce((sum, { bytes }) => sum + bytes, 0)

/** The bytes of a page's first and second view. @param open its path, and whose page it is */
async function keepsToItsBytes(
  path: string,
  { drawn, open = () => ({ path }) }: { drawn: string; open?: () => { path: string; cookie?: string } },
): Promise<void> {
  const { path: address, cookie } = open()
  const { page, traffic, first, close } = await openCounted(address, { drawn, ...(cookie ? { cookie } : {}) })
  const counted = {
    script: sumOf(traffic, first, 'Script'),
    css: sumOf(traffic, first, 'Stylesheet'),
    view: traffic.bytes() + (await workerBytes(page)),
  }
  traffic.restart()
  await page.reload()
  await page.locator(drawn).waitFor()
  await quiet(traffic, page)
  const again = traffic.bytes()
  await close()
  console.log(`${path}: ${JSON.stringify({ ...counted, again })} bytes`)
  expect(counted.script).toBeGreaterThan(0)
  expect(counted.script).toBeLessThanOrEqual(SCRIPT_MAX)
  expect(counted.css).toBeGreaterThan(0)
  expect(counted.css).toBeLessThanOrEqual(CSS_MAX)
  expect(counted.view).toBeLessThanOrEqual(FIRST_VIEW_MAX)
  expect(again).toBeLessThanOrEqual(SECOND_VIEW_MAX)
}

for (const [path, seen] of [
  ['/', { drawn: '.where-place' }],
  ['/map', { drawn: '.beacon-palanquin' }],
  ['/me', { drawn: '.join' }],
  ['/s/<token>', { drawn: 'canvas', open: () => ({ path: `/s/${family}` }) }],
] as const)
  browserTest(`the first and the second view of ${path} keep to their bytes`, () =>
    keepsToItsBytes(path, seen),
  )

/** Headless Chromium shows all its tabs: the page is made to believe that it is behind another. */
const HIDE = `Object.defineProperty(document, 'hidden', { get: () => true })
Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
document.dispatchEvent(new Event('visibilitychange'))`
const ROUNDS = 2

browserTest('an open map loads at most 2 kB a second, and a hidden one nothing', async () => {
  const drawn = '.beacon-palanquin'
  const [open, hidden] = [await openCounted('/map', { drawn }), await openCounted('/map', { drawn })]
  await evaluate(hidden.page, HIDE)
  await until(() => hidden.traffic.openCalls() === 0, { what: 'the end of what was asked for before' })
  hidden.traffic.restart()
  const rounds = () => open.traffic.loaded.filter(({ url }) => url.endsWith('/beacons')).length
  const next = async (n: number) => {
    const before = rounds()
    await until(() => rounds() >= before + n, { what: 'further reads of the open page' })
  }
  await next(1)
  open.traffic.restart()
  const startedMs = performance.now()
  await next(ROUNDS)
  const perSecond = (open.traffic.bytes() / (performance.now() - startedMs)) * 1_000
  console.log(`/map standing open: ${Math.round(perSecond)} bytes a second`)
  expect(perSecond).toBeLessThanOrEqual(STANDING_MAX)
  expect(hidden.traffic.loaded).toEqual([])
  await open.close()
  await hidden.close()
})

browserTest('the look back of /me after the end keeps to its bytes', async () => {
  await web.stack.api.post('/admin/end-activity', {}, web.stack.api.as('owner'))
  const open = () => ({ path: '/me', cookie: pilgrim })
  await keepsToItsBytes('/me after the end', { drawn: '.keepsake canvas', open })
})
