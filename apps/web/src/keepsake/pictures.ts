import { fetchInTime } from '../api/fetch-in-time.ts'
import type { OwnPhoto } from './read-walk.ts'
import { photoAddress } from './read-walk.ts'

/** Sharp on a phone and on a laptop; some 150 KB each. */
const SIDE_MAX = 1_280
const QUALITY = 0.72
/** The card is a drawing: its letters stay clear. */
const CARD_QUALITY = 0.9
/** Of all photos in a file, as text: mail and chats still take it. */
const TEXT_BYTES_MAX = 24_000_000

/** A picture drawn anew as a `data:` URL of a JPEG, so that nothing else of the file stays; null: unreadable. */
async function asJpegUrl(picture: Blob, quality = QUALITY): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(picture)
    const scale = Math.min(1, SIDE_MAX / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    const context = canvas.getContext('2d')
    context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    return context === null ? null : canvas.toDataURL('image/jpeg', quality)
  } catch (error) {
    console.warn('A picture cannot be read', error)
    return null
  }
}

export const cardAsJpegUrl = (card: Blob): Promise<string | null> => asJpegUrl(card, CARD_QUALITY)

/** The photos as `data:` URLs by id, until the bound is reached; unreadable ones are left out. */
export async function photoUrls(photos: readonly OwnPhoto[]): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>()
  let bytes = 0
  for (const photo of photos) {
    const picture = await load(photo)
    const url = picture && (await asJpegUrl(picture))
    if (url === null) continue
    bytes += url.length
    if (bytes > TEXT_BYTES_MAX) break
    urls.set(photo.id, url)
  }
  return urls
}

async function load(photo: OwnPhoto): Promise<Blob | null> {
  try {
    const response = await fetchInTime(photoAddress(photo), { credentials: 'same-origin' })
    return response.ok ? await response.blob() : null
  } catch {
    return null // fetch says no more than that nothing came back
  }
}
