import type { messagingApi } from '@line/bot-sdk'
import { instantProblem } from '@palanquin/domain/point/judge'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Inbound, What } from '../inbox/inbound.ts'
import type { LineClient } from '../line-client/client.ts'
import type { Media } from '../service-clients/media.ts'
import type { Tracking } from '../service-clients/tracking.ts'
import type { User } from '../users/store.ts'
import { plain } from './messages/plain.ts'
import type { Texts } from './texts/texts.ts'

/** What LINE itself takes as a picture, and media as a photo. */
const PHOTO_BYTES_MAX = 10_485_760
/** Each is in memory while it is transferred; the others wait. */
const PHOTOS_AT_ONCE_MAX = 12

type Of<T extends What['type']> = Extract<What, { type: T }>

/** A location is a check-in at LINE's time, or that of the inbox where LINE's cannot be, so that it counts once. */
export async function takeLocation(
  { tracking, now }: { tracking: Tracking; now: () => number },
  {
    what: { lat, lng, place },
    event,
    entryId,
    userId,
    user,
    texts,
  }: {
    what: Of<'location'>
    event: Inbound
    entryId: string
    userId: string
    user: User | null
    texts: Texts
  },
): Promise<messagingApi.Message[]> {
  const recordedAtMs = instantProblem(event.atMs, now()) === null ? event.atMs : takenAtMs(entryId)
  const outcome = await tracking.checkin({ userId, lat, lng, recordedAtMs }, event)
  if (outcome === 'taken') return [plain(texts.checkedIn(place))]
  if (outcome === 'invalid') return [plain(texts.noPlace)]
  if (user?.activity === 'ended') return [plain(texts.ended)]
  return [plain(user?.status === 'withdrawn' ? texts.withdrawn : texts.paused)]
}

/** The first half of an entry's id is the time at which Redis took it. */
export const takenAtMs = (entryId: string): number => Number(entryId.split('-')[0])

/** Photos go from LINE's data host to media; a repeat is stored once. */
export function photoTaker({ client, media }: { client: Pick<LineClient, 'content'>; media: Media }) {
  let underWay = 0
  return async (
    { messageId, last }: Of<'image'>,
    { userId, event, texts }: { userId: string; event: Inbound; texts: Texts },
  ): Promise<messagingApi.Message[]> => {
    if (underWay >= PHOTOS_AT_ONCE_MAX) throw new StoreUnavailable('photo queue')
    underWay++
    try {
      const content = await client.content(messageId, PHOTO_BYTES_MAX)
      // Unsent by the user, or deleted by LINE.
      if (content.is === 'invalid' || content.is === 'blocked') return []
      if (content.is !== 'ok' || content.value === 'preparing') throw new StoreUnavailable('picture at LINE')
      if (content.value === 'too-large') return [plain(texts.photoTooLarge)]
      const count = await media.addPhoto({ userId, messageId, bytes: content.value }, event)
      if (count === null) return [plain(texts.photoBroken)]
      // Pictures that were sent together are answered together.
      return last ? [plain(texts.photoKept(count))] : []
    } finally {
      underWay--
    }
  }
}
