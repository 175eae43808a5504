import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type { Browser } from 'playwright-core'
import { browserTest, HAS_CHROMIUM, LANGUAGES, openBrowser, SIZES } from '../browser.ts'
import { fontsOfThisMachine } from './fonts.ts'
import { openStudio, type Studio } from './photograph.ts'
import { asReference, differingShare } from './pictures.ts'
import { SCENES, type Scene } from './scenes.ts'

/** How the pages were approved. */
const REFERENCES = join(import.meta.dir, 'references')
const MADE_WITH = join(REFERENCES, 'fonts.json')
const KEEPS = process.env.TEST_APPEARANCE === 'keep'
/** What differs is written there to be looked at; git ignores the folder. */
const DIFFERENCES = join(import.meta.dir, '../../../.palanquin/page-differences')
const SHARE_MAX = 0.005
/** On average of all. */
const REFERENCE_BYTES_MAX = 40_000

const fonts = fontsOfThisMachine()
const madeWith: unknown = existsSync(MADE_WITH) ? JSON.parse(readFileSync(MADE_WITH, 'utf8')) : undefined
/** Letters of another font are other pixels, and say nothing about the page. */
const hasFonts = fonts !== undefined && Bun.deepEquals(fonts, madeWith)
const why = fonts === undefined ? 'no fc-match that names them' : `${fonts}, and not ${madeWith}`
const compared = (title: string, run: () => Promise<void>): void =>
  hasFonts || KEEPS
    ? browserTest(title, run)
    : test.skip(`${title} (skipped: the fonts of this machine are ${why})`, run)

const VIEWS = LANGUAGES.flatMap((language) =>
  Object.entries(SIZES).map(([size, viewport]) => ({ language, size, viewport })),
)
const fileOf = (scene: string, language: string, size: string) => `${scene}-${language}-${size}.png`

let stack: ThrowawayStack
let browser: Browser
let studios: { view: (typeof VIEWS)[number]; studio: Studio }[]
beforeAll(async () => {
  if (!HAS_CHROMIUM || !(hasFonts || KEEPS)) return
  stack = await startThrowawayStack({ LINE: 'stub', RATE_LIMITS: 'off' })
  browser = await openBrowser(stack)
  const { url } = stack.running()
  studios = await Promise.all(
    VIEWS.map(async (view) => ({ view, studio: await openStudio(browser, url, view) })),
  )
  if (!KEEPS) return
  mkdirSync(REFERENCES, { recursive: true })
  writeFileSync(MADE_WITH, `[${fonts?.map((font) => JSON.stringify(font)).join(', ')}]\n`)
})
afterAll(async () => {
  await browser?.close()
  await stack?.close()
})

/** So many pictures in a row that are the same are a page that has arrived. */
const STANDS_STILL = 5
/** A page that is still on its way may look otherwise for so long. */
const ARRIVES_MS_MAX = 60_000
/** On a machine that is too busy a page may find that its store does not answer, and says so. */
const OPENED_MAX = 2

/** A page that looks as approved is photographed once. */
async function compare(scene: Scene, { view: { language, size }, studio }: (typeof studios)[number]) {
  const file = fileOf(scene.name, language, size)
  if (KEEPS) {
    const picture = await studio.photograph(scene, async (_, alike) => alike >= STANDS_STILL)
    return writeFileSync(join(REFERENCES, file), await asReference(picture))
  }
  const reference = readFileSync(join(REFERENCES, file))
  let share = 1
  let picture: Buffer = reference
  for (let opened = 0; share > SHARE_MAX && opened < OPENED_MAX; opened++) {
    let untilMs: number | undefined
    picture = await studio.photograph(scene, async (next) => {
      untilMs ??= performance.now() + ARRIVES_MS_MAX // from the first picture on
      share = await differingShare(next, reference)
      return share <= SHARE_MAX || performance.now() > untilMs
    })
  }
  if (share > SHARE_MAX) {
    mkdirSync(DIFFERENCES, { recursive: true })
    writeFileSync(join(DIFFERENCES, file), picture)
  }
  expect({ file, share, see: share > SHARE_MAX ? join(DIFFERENCES, file) : '' }).toMatchObject({ see: '' })
}

for (const scene of SCENES)
  compared(`${scene.name} looks as it was approved, in both languages and sizes`, async () => {
    await Promise.all(studios.map((studio) => compare(scene, studio)))
  })

compared('another state of a page differs by more than is tolerated', async () => {
  const reference = (scene: string) => readFileSync(join(REFERENCES, fileOf(scene, 'zh-TW', 'phone')))
  for (const other of ['home-stale', 'home-paused', 'home-dark', 'map'])
    expect(await differingShare(reference(other), reference('home'))).toBeGreaterThan(SHARE_MAX)
})

test('there is one reference for every scene, language and size, and together they stay small', () => {
  const files = readdirSync(REFERENCES).filter((file) => file.endsWith('.png'))
  const wanted = SCENES.flatMap(({ name }) => VIEWS.map(({ language, size }) => fileOf(name, language, size)))
  expect(files.toSorted()).toEqual(wanted.toSorted())
  const bytes = files.reduce((sum, file) => sum + statSync(join(REFERENCES, file)).size, 0)
  expect(bytes).toBeLessThan(files.length * REFERENCE_BYTES_MAX)
})
