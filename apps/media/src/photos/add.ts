import { randomUUID } from 'node:crypto'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import type { ImageTarget } from '../sanitizer/image.ts'
import type { Sanitizer } from '../sanitizer/sanitizer.ts'
import type { PhotoCounts } from './counts.ts'
import type { PhotoStore } from './store.ts'

/** The largest photos of today's phones; a JPEG is scaled down while it is decoded. */
const PIXELS_MAX = 50_000_000
/** Sharp on a screen, and a tenth of the original. */
const SIDE_PIXELS = 2_560
const BYTES_MAX = 3_000_000
const TARGET: ImageTarget = {
  as: 'jpeg',
  pixelsMax: PIXELS_MAX,
  sidePixels: SIDE_PIXELS,
  bytesMax: BYTES_MAX,
}
export const PHOTOS_PREFIX = 'photos/'
export const PHOTO_TYPE = 'image/jpeg'

export type Photos = {
  store: PhotoStore
  counts: PhotoCounts
  objects: Pick<Objects, 'put'>
  sanitizer: Pick<Sanitizer, 'sanitize'>
  receiptOf: ReceiptOf
  publishOutbox: () => Promise<void>
}

/** `receivedAt`: when its message came, epoch ms. */
type NewPhoto = { userId: string; messageId: string; bytes: Uint8Array; receivedAt: number }

/** `added` is false when this message's photo was stored already. */
type Added = { userId: string; count: number; added: boolean }

/** Sanitizes and stores the photo of a message, once by messageId. @throws StoreUnavailable */
export async function addPhoto(
  { store, counts, objects, sanitizer, receiptOf, publishOutbox }: Photos,
  { userId, messageId, bytes, receivedAt }: NewPhoto,
): Promise<Added | ApiError> {
  const countWith = async (added: boolean): Promise<Added> => ({
    userId,
    count: await store.count(userId),
    added,
  })
  if (await store.has(messageId)) return countWith(false)
  const image = await sanitizePhoto(sanitizer, bytes)
  if (image instanceof ApiError) return image
  const { id, objectKey } = await putPhoto(objects, image)
  const added = await store.add({
    id,
    userId,
    objectKey,
    messageId,
    receipt: receiptOf(userId, receivedAt),
    point: null,
  })
  if (added) {
    await counts.drop(userId)
    await publishOutbox()
  }
  return countWith(added)
}

/** The photo as it is stored: without metadata, upright, small; an ApiError where it is no picture. */
export async function sanitizePhoto(
  sanitizer: Pick<Sanitizer, 'sanitize'>,
  bytes: Uint8Array,
  sender?: Parameters<Sanitizer['sanitize']>[2],
): Promise<Uint8Array | ApiError> {
  const sanitized = await sanitizer.sanitize(bytes, TARGET, sender)
  if (sanitized instanceof ApiError) return sanitized
  if ('refused' in sanitized) return new ApiError('invalid', `the photo: ${sanitized.refused}`)
  return sanitized.image.bytes
}

/** Stores the object, under a new id. @throws StoreUnavailable */
export async function putPhoto(
  objects: Pick<Objects, 'put'>,
  image: Uint8Array,
): Promise<{ id: string; objectKey: string }> {
  const id = randomUUID()
  const objectKey = `${PHOTOS_PREFIX}${id}.jpg`
  await objects.put(objectKey, image)
  return { id, objectKey }
}
