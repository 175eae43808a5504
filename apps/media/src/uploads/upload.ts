import { randomBytes } from 'node:crypto'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { ImageTarget } from '../sanitizer/image.ts'
import type { Sanitizer } from '../sanitizer/sanitizer.ts'
import type { Quota } from './quota.ts'
import type { Source } from './read-body.ts'
import type { ScreenshotStore } from './store.ts'

/** Contract section 4. */
const PIXELS_MAX = 20_000_000
/** As large as 20 megapixels of the worst kind become; a larger one is made smaller. */
const PNG_BYTES_MAX = 10_000_000
const TARGET: ImageTarget = { as: 'png', pixelsMax: PIXELS_MAX, bytesMax: PNG_BYTES_MAX }
/** 144 bits: a name cannot be guessed. */
const NAME_BYTES = 18
export const SCREENSHOTS_PREFIX = 'screenshots/'

export type Screenshots = {
  store: ScreenshotStore
  objects: Pick<Objects, 'put' | 'get'>
  sanitizer: Pick<Sanitizer, 'sanitize'>
  quota: Quota
  receiptOf: ReceiptOf
  /** The public address of a screenshot. */
  urlOf: (filename: string) => string
}

const erasedMeanwhile = new ApiError(
  'unavailable',
  'The participant was erased meanwhile; nothing was stored.',
)

export type Uploaded = { filename: string; width: number; height: number; url: string }

/** Sanitizes and stores a screenshot, the object before its row (contract, section 8.7). @throws StoreUnavailable */
export async function upload(
  { store, objects, sanitizer, quota, receiptOf, urlOf }: Screenshots,
  { bytes, userId }: Source,
  { client, receivedAt }: { client: string; receivedAt: number },
): Promise<Uploaded | ApiError> {
  const reservation = await quota.take(client)
  if (reservation instanceof ApiError) return reservation
  let isStored = false
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
    await objects.put(objectKey, png)
    const receipt = userId && receiptOf(userId, receivedAt)
    isStored = await store.add({ filename, objectKey, userId, width, height, bytes: png.byteLength, receipt })
    if (!isStored) return erasedMeanwhile
    await reservation.stored(png.byteLength)
    return { filename, width, height, url: urlOf(filename) }
  } finally {
    await Promise.all([
      isStored ? undefined : reservation.refund(),
      spentMs > 0 ? reservation.decoded(spentMs) : undefined,
    ])
  }
}
