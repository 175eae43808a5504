import { createHash } from 'node:crypto'
import { parseRecordedAt, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { Quota } from '../uploads/quota.ts'
import { type Photos, putPhoto, sanitizePhoto } from './add.ts'
import type { CheckIn, Receipt } from './checkin-client.ts'
import type { PhotoPoint } from './read-form.ts'

export type PhotoUploads = Photos & {
  quota: Quota
  checkIn: CheckIn
  removeObjects: (keys: readonly string[]) => Promise<void>
  now: () => number
}

type Given = {
  userId: string
  image: Uint8Array
  point: PhotoPoint | null
  /** The address that sent it. */
  client: string
  requestId: string
  /** Epoch ms. */
  receivedAt: number
}
/** `checkin` is null for a photo without a point. */
export type UploadedPhoto = { id: string; createdAt: string; count: number; checkin: Receipt | null }

/** Stores a photo and checks in at its point: both or neither, once by time and bytes. @throws StoreUnavailable */
export async function uploadPhoto(
  uploads: PhotoUploads,
  { userId, image, point, client, requestId, receivedAt }: Given,
): Promise<UploadedPhoto | ApiError> {
  const { store, counts, objects, sanitizer, quota, checkIn, removeObjects, receiptOf, publishOutbox, now } =
    uploads
  const reservation = await quota.take(client)
  if (reservation instanceof ApiError) return reservation
  let storedBytes = 0
  let spentMs = 0
  const onDecoded = (processorMs: number) => {
    spentMs = processorMs
  }
  try {
    const photo = await sanitizePhoto(sanitizer, image, { client: countedAs(client), onDecoded })
    if (photo instanceof ApiError) return photo
    const { id, objectKey } = await putPhoto(objects, photo)
    const checkin = point && (await checkIn(userId, point, { requestId, arrivedAt: receivedAt }))
    if (checkin instanceof ApiError) {
      await removeObjects([objectKey])
      return checkin
    }
    const messageId = uploadKey(userId, { id, image, point })
    const takenAt = toIso(parseRecordedAt(point?.recordedAt) ?? now())
    const receipt = receiptOf(userId, receivedAt)
    const place = point && { lat: point.lat, lng: point.lng, takenAt }
    if (await store.add({ id, userId, objectKey, messageId, receipt, point: place })) {
      storedBytes = photo.byteLength
      await counts.drop(userId)
      await publishOutbox()
    }
    const kept = (await store.idOf(messageId)) ?? { id, createdAtMs: now() }
    return { id: kept.id, createdAt: toIso(kept.createdAtMs), count: await store.count(userId), checkin }
  } finally {
    await Promise.all([
      storedBytes > 0 ? reservation.stored(storedBytes) : reservation.refund(),
      spentMs > 0 ? reservation.decoded(spentMs) : undefined,
    ])
  }
}

/** Makes a photo of a moment one, however often it is sent; without a time each upload is its own. */
function uploadKey(
  userId: string,
  { id, image, point }: { id: string; image: Uint8Array; point: PhotoPoint | null },
): string {
  const recordedAt = parseRecordedAt(point?.recordedAt)
  if (recordedAt === null) return `u-${id}`
  const hash = createHash('sha256').update(`${userId}\n${recordedAt}\n`).update(image)
  return `u-${hash.digest('base64url')}`
}
