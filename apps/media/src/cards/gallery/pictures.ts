import sharp from 'sharp'
import { CARD_HEIGHT, CARD_WIDTH } from '../../themes/themes.ts'

/** Enough to detect a line that moved, and all of them are below 2 MB. */
const REFERENCE_WIDTH = 300
const REFERENCE_HEIGHT = Math.round((REFERENCE_WIDTH * CARD_HEIGHT) / CARD_WIDTH)
const REFERENCE_COLORS = 256

/** A card at the size of the references, as a small PNG. */
export const asReference = (png: Uint8Array): Promise<Buffer> =>
  sharp(png)
    .resize(REFERENCE_WIDTH, REFERENCE_HEIGHT)
    .png({ palette: true, colors: REFERENCE_COLORS, compressionLevel: 9 })
    .toBuffer()

const SHEET_COLUMNS = 4
const SHEET_CELL_WIDTH = 480
const SHEET_GAP = 12

/** Cards side by side in one picture. */
export async function sheetOf(cards: readonly Uint8Array[]): Promise<Buffer> {
  const height = Math.round((SHEET_CELL_WIDTH * CARD_HEIGHT) / CARD_WIDTH)
  const placed = await Promise.all(
    cards.map(async (card, index) => ({
      input: await sharp(card).resize(SHEET_CELL_WIDTH, height).toBuffer(),
      left: SHEET_GAP + (index % SHEET_COLUMNS) * (SHEET_CELL_WIDTH + SHEET_GAP),
      top: SHEET_GAP + Math.floor(index / SHEET_COLUMNS) * (height + SHEET_GAP),
    })),
  )
  return sharp({
    create: {
      width: SHEET_GAP + SHEET_COLUMNS * (SHEET_CELL_WIDTH + SHEET_GAP),
      height: SHEET_GAP + Math.ceil(cards.length / SHEET_COLUMNS) * (height + SHEET_GAP),
      channels: 3,
      background: '#ffffff',
    },
  })
    .composite(placed)
    .png()
    .toBuffer()
}

/** A difference of one pixel that is visible, of 255, beyond what the palette of a reference causes. */
const VISIBLE = 40

type Difference = { mean: number; visibleShare: number; picture: () => Promise<Buffer> }

/** How much a card differs from its reference: on average (of 255), and in how many pixels. */
export async function differenceOf(card: Uint8Array, reference: Uint8Array): Promise<Difference> {
  const raw = (png: Uint8Array) =>
    sharp(png).resize(REFERENCE_WIDTH, REFERENCE_HEIGHT).removeAlpha().toColourspace('srgb').raw().toBuffer()
  const [now, then] = await Promise.all([raw(card), raw(reference)])
  const marks = Buffer.alloc(now.length, 255)
  let sum = 0
  let visible = 0
  for (let i = 0; i < now.length; i += 3) {
    const apart = Math.max(
      ...[0, 1, 2].map((channel) => Math.abs((now[i + channel] ?? 0) - (then[i + channel] ?? 0))),
    )
    sum += apart
    if (apart <= VISIBLE) continue
    visible++
    marks.fill(0, i + 1, i + 3) // red on white
  }
  const pixels = now.length / 3
  const size = { width: REFERENCE_WIDTH, height: REFERENCE_HEIGHT, channels: 3 } as const
  return {
    mean: sum / pixels,
    visibleShare: visible / pixels,
    /** Then, now, and where they differ, side by side. */
    picture: async () =>
      sharp({ create: { ...size, width: REFERENCE_WIDTH * 3, background: '#ffffff' } })
        .composite(
          await Promise.all(
            [then, now, marks].map(async (pixelsOf, index) => ({
              input: await sharp(pixelsOf, { raw: size }).png().toBuffer(),
              left: index * REFERENCE_WIDTH,
              top: 0,
            })),
          ),
        )
        .png()
        .toBuffer(),
  }
}
