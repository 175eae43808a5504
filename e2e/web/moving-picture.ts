import { join } from 'node:path'
import { MAIN_FILE } from '@palanquin/stack/project'
import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import sharp from 'sharp'
import { LANGUAGES, openBrowser, openPage, SIZES } from './browser.ts'

const FRAMES = 20
const FRAME_EVERY_MS = 4_000
const SHOWN_MS = 350
/** The palanquin needs half a minute to appear. */
const DEMO_S = 120

/** `bun e2e/web/moving-picture.ts <folder>`. The README shows them. */
async function main([folder]: string[]): Promise<void> {
  if (!folder) throw new Error('bun e2e/web/moving-picture.ts <folder>')
  const stack = await startThrowawayStack()
  const browser = await openBrowser(stack)
  const demo = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      MAIN_FILE,
      'demo',
      '--home',
      stack.home.folder,
      '--seconds',
      `${DEMO_S}`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  try {
    const origin = stack.running().url
    await Promise.all(
      LANGUAGES.map(async (language) => {
        const { page } = await openPage(browser, origin, { reducedMotion: 'reduce' })
        await page.goto(`${origin}/map?lang=${language}`)
        await page.locator('.beacon-palanquin').waitFor()
        // Its route and notice, which the demo has set up by now, would come in the middle.
        await page.reload()
        await page.locator('.beacon-palanquin').waitFor()
        const frames: Buffer[] = []
        while (frames.length < FRAMES) {
          await Bun.sleep(FRAME_EVERY_MS)
          frames.push(await page.screenshot())
        }
        const picture = sharp(frames, { join: { animated: true } }).webp({
          delay: frames.map(() => SHOWN_MS),
        })
        const { size } = await picture.toFile(join(folder, `map.${language}.webp`))
        console.log(`map.${language}.webp: ${FRAMES} frames of ${SIZES.phone.width} pixels, ${size} bytes`)
      }),
    )
  } finally {
    demo.kill()
    await demo.exited
    await browser.close()
    await stack.close()
  }
}

await main(process.argv.slice(2))
