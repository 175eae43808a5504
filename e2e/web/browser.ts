import { test } from 'bun:test'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { certificateFiles } from '@palanquin/stack/certificate/keep'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import {
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'

/** Where a distribution installs it; `CHROMIUM` names another. */
const CHROMIUM_DEFAULT = '/usr/bin/chromium'
/** What Playwright switches off (the last of these flags counts), and the address bar's popups. */
const FEATURES_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]
/** Software graphics, root in a container, and nothing that Chromium fetches for itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu-compositing',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--process-per-site',
  '--renderer-process-limit=1',
  '--disable-gpu-rasterization',
  // It would end a graphics process that a busy machine keeps from its work for seconds.
  '--disable-gpu-watchdog',
  `--disable-features=${FEATURES_OFF.join()}`,
]

const wanted = process.env.CHROMIUM || CHROMIUM_DEFAULT
const isThere = existsSync(wanted)

/** Whether the files of this folder start stacks: without Chromium all their tests are skipped. */
export const HAS_CHROMIUM = isThere

/** A test in the browser; skipped with a line that says so where there is none. */
export const browserTest = (title: string, run: () => Promise<void>): void =>
  isThere ? test(title, run) : test.skip(`${title} (skipped: no Chromium at ${wanted})`, run)

/** A browser with a fresh profile that takes the certificates of these stacks, and of nothing else. */
export const openBrowser = (...stacks: ThrowawayStack[]): Promise<Browser> => launch(stacks)

/** With scrollbars that take room, as on most desktops. */
export const openBrowserWithScrollbars = (...stacks: ThrowawayStack[]): Promise<Browser> =>
  launch(stacks, { ignoreDefaultArgs: ['--hide-scrollbars'] })

const launch = (stacks: readonly ThrowawayStack[], more: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...more,
    executablePath: wanted,
    args: [...FLAGS, `--ignore-certificate-errors-spki-list=${stacks.map(keyOf).join()}`],
  })

/** The hash of the stack's public key: its authority is not the system's. */
function keyOf({ home }: ThrowawayStack): string {
  const { publicKey } = new X509Certificate(readFileSync(certificateFiles(home.certificates).certFile))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

export const LANGUAGES = ['zh-TW', 'en'] as const
export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const

/** What a page may take on a busy machine, in milliseconds. */
export const PATIENCE_MS = 120_000

export type Watched = {
  page: Page
  /** What no page may do: console errors, violations of the CSP, requests to another origin. */
  problems: string[]
  /** Every request, with its body. */
  requests: { url: string; body: string }[]
  close: () => Promise<void>
}

/** What Chromium says of a 503, a GET of which our pages repeat. */
const COME_AGAIN = /^console: Failed to load resource: the server responded with a status of 503 /

/** A page in a context of its own, whose problems are collected. */
export async function openPage(
  browser: Browser,
  origin: string,
  { expected, ...options }: BrowserContextOptions & { expected?: RegExp } = {},
): Promise<Watched> {
  const context = await browser.newContext({ locale: 'zh-TW', viewport: SIZES.phone, ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI))",
  )
  const page = await context.newPage()
  const problems: string[] = []
  const requests: Watched['requests'] = []
  const report = (problem: string) => {
    if (!expected?.test(problem)) problems.push(problem)
  }
  page.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text()} (${message.location().url})`)
  })
  // A busy machine may ask a page to come again: what it then got in the end is no problem.
  context.on('response', (response) => {
    if (!response.ok()) return
    const answered = problems.findIndex(
      (problem) => COME_AGAIN.test(problem) && problem.endsWith(` (${response.url()})`),
    )
    if (answered >= 0) problems.splice(answered, 1)
  })
  page.on('pageerror', (error) => report(`exception: ${error.message}`))
  context.on('request', (request) => {
    const url = request.url()
    requests.push({ url, body: request.postData() ?? '' })
    const isLocal = url.startsWith('data:') || url.startsWith('blob:')
    if (!isLocal && new URL(url).origin !== origin) report(`left the origin: ${url}`)
  })
  return { page, problems, requests, close: () => context.close() }
}

/** Kept: where one ends, Chromium lets a page that is offline believe that it is not. */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** Evaluates in the page as the developer tools do: the CSP of the page forbids `eval`. */
export async function evaluate<T>(page: Page, expression: string): Promise<T> {
  const opening = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, opening)
  const session = await opening
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

/** How many CSS pixels the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  evaluate(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
