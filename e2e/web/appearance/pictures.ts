import sharp from 'sharp'

const COLORS = 64
/** A difference of one channel that is seen, of 255, beyond what the palette of a reference causes. */
const VISIBLE = 48
/** Wide pages are kept at half their size: a line that moved is still seen. */
const WIDTH_MAX = 640

/** A screenshot as it is kept: a small PNG. */
export const asReference = (png: Uint8Array): Promise<Buffer> =>
  sharp(png)
    .resize({ width: WIDTH_MAX, withoutEnlargement: true })
    .png({ palette: true, colors: COLORS, dither: 0, compressionLevel: 9, effort: 10 })
    .toBuffer()

/** The share of a screenshot's pixels that visibly differ from its reference. */
export async function differingShare(png: Uint8Array, reference: Uint8Array): Promise<number> {
  const raw = (picture: Uint8Array) =>
    sharp(picture)
      .resize({ width: WIDTH_MAX, withoutEnlargement: true })
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
  const [now, then] = await Promise.all([raw(png), raw(reference)])
  if (now.info.width !== then.info.width || now.info.height !== then.info.height) return 1
  const [a, b] = [now.data, then.data]
  let visible = 0
  for (let i = 0; i < a.length; i += 3)
    if (isSeen(a, b, i) || isSeen(a, b, i + 1) || isSeen(a, b, i + 2)) visible++
  return visible / (now.info.width * now.info.height)
}

const isSeen = (a: Buffer, b: Buffer, at: number): boolean => Math.abs((a[at] ?? 0) - (b[at] ?? 0)) > VISIBLE
