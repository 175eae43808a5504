import { Latitude, Longitude } from '@palanquin/domain/degrees'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import type { OwnPhotoRow, OwnPhotoStore } from './own-store.ts'

export const PhotoId = Type.String({ format: 'uuid', description: 'the id of a photo' })

/** An item of `GET /photos`. */
export const OwnPhoto = Type.Object({
  id: PhotoId,
  createdAt: Iso,
  point: Nullable(
    Type.Object({ lat: Latitude, lng: Longitude, takenAt: Iso }, { description: 'where it was taken' }),
    'where it was taken; null for one without a check-in',
  ),
})
export type OwnPhoto = Static<typeof OwnPhoto>

const Position = Type.Object({ key: Type.String({ pattern: '^[\\d :.+-]{1,40}$' }), id: PhotoId })
const cursors = cursorsOf('own photos, newest first', Position)
/** Before every photo. */
const START = { key: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** A page of photos, the newest first; an ApiError for a foreign cursor. @throws StoreUnavailable */
export async function listOwnPhotos(
  own: OwnPhotoStore,
  userId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<OwnPhoto> | ApiError> {
  const after = cursors.decode(cursor)
  if (after instanceof ApiError) return after
  const [rows, total] = await Promise.all([
    own.page(userId, { ...(after ?? START), count: limit + 1 }),
    own.total(userId),
  ])
  return pageOf(rows, { limit, total, item, cursor: ({ key, id }) => cursors.encode({ key, id }) })
}

const item = ({ id, createdAt, lat, lng, takenAt }: OwnPhotoRow): OwnPhoto => ({
  id,
  createdAt: toIso(createdAt.getTime()),
  point:
    lat === null || lng === null || takenAt === null ? null : { lat, lng, takenAt: toIso(takenAt.getTime()) },
})
