import { expect, setDefaultTimeout, test } from 'bun:test'
import { createHttpApp } from '@palanquin/service/http/app'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { CELLS, MENU_HEIGHT, MENU_WIDTH, tileAt } from './cells.ts'
import { IMAGE_BYTES_MAX } from './render.ts'
import { createMenus, menuRoutes } from './route.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** The colour of each tile, in the order of the bot's areas. */
const TILE_COLORS = ['c8322b', 'fff3dc', 'f2b84b', 'fff3dc', '2f7f79', 'fff3dc']
const INTERNAL_TOKEN = 'an-internal-token-for-tests'
const app = createHttpApp({
  service: 'media',
  internalToken: INTERNAL_TOKEN,
  log: createLog({ service: 'media', level: 'silent' }),
  metrics: createMetrics('media'),
  readiness: async () => ({}),
}).use(menuRoutes(createMenus({ renderMsMax: TEST_TIMEOUT_MS })))
const ask = (language: string) =>
  app.handle(
    new Request(`http://media/internal/rich-menu/${language}`, {
      headers: { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN },
    }),
  )

test('the menu of each language is an image within the limits of LINE, with a tile of its colour for each cell', async () => {
  const pictures = await Promise.all(
    (['zh-TW', 'en'] as const).map(async (language) => {
      const answer = await ask(language)
      expect(answer.headers.get('content-type')).toBe('image/png')
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.byteLength).toBeLessThanOrEqual(IMAGE_BYTES_MAX)
      const { format, width, height } = await sharp(bytes).metadata()
      expect({ format, width, height }).toEqual({ format: 'png', width: MENU_WIDTH, height: MENU_HEIGHT })
      expect(TILE_COLORS).toHaveLength(CELLS.length)
      for (const [index, color] of TILE_COLORS.entries()) {
        const { x, y, width: wide } = tileAt(index)
        const [r, g, b] = await sharp(bytes)
          .extract({ left: Math.round(x + wide / 2), top: Math.round(y) + 12, width: 1, height: 1 })
          .raw()
          .toBuffer()
        expect([r, g, b].map((part) => part?.toString(16).padStart(2, '0')).join('')).toBe(color)
      }
      return bytes
    }),
  )
  expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(false)
})

test('another language is 400', async () => {
  expect((await ask('ja')).status).toBe(400)
})
