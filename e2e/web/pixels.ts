import type { Page } from 'playwright-core'
import { evaluate } from './browser.ts'

/** How many pixels of a screenshot of the map have about this colour. */
export async function pixelsLike(page: Page, [r, g, b]: readonly [number, number, number]): Promise<number> {
  const picture = (await page.locator('.map').screenshot()).toString('base64')
  return evaluate(
    page,
    `(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${picture}'
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      let count = 0
      for (let i = 0; i < data.length; i += 4)
        if (Math.abs(data[i] - ${r}) + Math.abs(data[i + 1] - ${g}) + Math.abs(data[i + 2] - ${b}) < 12) count++
      return count
    })()`,
  )
}
