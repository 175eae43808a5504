import { randomBytes } from 'node:crypto'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { Objects } from '../objects.ts'
import type { ImageTarget } from '../sanitizer/image.ts'
import type { Sanitizer } from '../sanitizer/sanitizer.ts'
import type { Quota } from './quota.ts'
import type { Source } from './read-body.ts'
import type { ScreenshotStore } from './store.ts'

/** Contract section 4. */
const PIXELS_MAX = 20_000_000
/** What 20 megapixels of the worst kind have that fit into an upload; whatever has more is made smaller. */
const PNG_BYTES_MAX = 10_000_000
const TARGET: ImageTarget = { as: 'png', pixelsMax: PIXELS_MAX, bytesMax: PNG_BYTES_MAX }
/** 144 bits: who was not told the name will not find it. */
const NAME_BYTES = 18
export const SCREENSHOTS_PREFIX = 'screenshots/'

export type Screenshots = {
  store: ScreenshotStore
  objects: Pick<Objects, 'put' | 'get'>
  sanitizer: Pick<Sanitizer, 'sanitize'>
  quota: Quota
  /** Where the world finds a screenshot. */
  urlOf: (filename: string) => string
}

export type Uploaded = { filename: string; width: number; height: number; url: string }

/**
 * Cleans and keeps a picture of feedback; what was refused counts against the address by the time that its decoding took
 * alone (contract, section 8.7). The object goes first:
 * a row that could not be written leaves an object that nobody knows, and the sweep takes it (`discarded`).
 * @throws StoreUnavailable
 */
export async function upload(
  { store, objects, sanitizer, quota, urlOf }: Screenshots,
  { bytes, userId }: Source,
  client: string,
): Promise<Uploaded | ApiError> {
  const taken = await quota.take(client)
  if (taken instanceof ApiError) return taken
  let kept = false
  let spentMs = 0
  const onDecoded = (processorMs: number) => {
    spentMs = processorMs
  }
  try {
    const sanitized = await sanitizer.sanitize(bytes, TARGET, { client: countedAs(client), onDecoded })
    if (sanitized instanceof ApiError) return sanitized
    if ('refused' in sanitized) return new ApiError('invalid', `image: ${sanitized.refused}`)
    const { width, height, bytes: png } = sanitized.image
    const filename = randomBytes(NAME_BYTES).toString('base64url')
    const objectKey = `${SCREENSHOTS_PREFIX}${filename}.png`
    await objects.put(objectKey, png, { contentType: 'image/png' })
    await store.add({ filename, objectKey, userId, width, height, bytes: png.byteLength })
    kept = true
    await taken.stored(png.byteLength)
    return { filename, width, height, url: urlOf(filename) }
  } finally {
    await Promise.all([kept ? undefined : taken.giveBack(), spentMs > 0 ? taken.decoded(spentMs) : undefined])
  }
}
