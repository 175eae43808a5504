import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import type { Objects } from '@palanquin/objects/objects'
import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf, USER_HEADER } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { PAGE_ITEMS_DEFAULT, PageOf, pageQuery } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { PHOTO_TYPE } from './add.ts'
import { listOwnPhotos, OwnPhoto, PhotoId } from './list.ts'
import type { OwnPhotoStore } from './own-store.ts'
import { PhotoForm, readPhotoForm } from './read-form.ts'
import { type PhotoUploads, uploadPhoto } from './upload.ts'

const UPLOAD_PATH = '/upload/photos'
/** Web face, section 4. */
export const OWN_RAW_BODIES = { [UPLOAD_PATH]: 10_485_760 }

const Uploaded = Type.Object({
  id: PhotoId,
  createdAt: Iso,
  count: Type.Integer({ minimum: 1, description: 'photos of the participant, this one included' }),
  checkin: Nullable(
    Type.Object(
      { id: Type.String({ description: 'the id of the check-in' }), receivedAt: Iso },
      { description: 'the check-in' },
    ),
    'null for a photo without a point',
  ),
})
const ID = '0198c0de-7a31-7c2e-9d4b-1f60a4b7c812'
const PHOTO = { id: ID, createdAt: '2026-05-01T15:00:00.000Z', point: { lat: 24.5663, lng: 120.7081 } }
const ITEM = { ...PHOTO, point: { ...PHOTO.point, takenAt: '2026-05-01T14:59:58.000Z' } }
const JPEG = Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: PHOTO_TYPE })
const tags = ['participants']
const notSignedIn = new ApiError('unauthorized', 'Photos are for their own participant alone.')
const unknown = new ApiError('notFound', 'You have no photo of this id.')
const params = text(Type.Object({ id: PhotoId }))
const apiErrors = ['invalid', 'unauthorized', 'notFound', 'unavailable'] as const

type Options = { own: OwnPhotoStore; uploads: PhotoUploads; objects: Pick<Objects, 'get'> }

/** A participant's own photos, those that were sent to the chat among them. Web face, section 4. */
export const ownPhotoRoutes = ({ own, uploads, objects }: Options) =>
  new Elysia({ name: 'own photos' })
    .post(
      UPLOAD_PATH,
      async ({ body, request, set }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const form = await readPhotoForm(bodyBytes(body), request.headers.get('content-type') ?? '')
        const { client, requestId } = callerOf(request.headers)
        const receivedAt = receivedAtOf(request.headers)
        const outcome = await uploadPhoto(uploads, { userId, client, requestId, receivedAt, ...form })
        if (outcome instanceof ApiError) return outcome
        set.status = 201
        return ok(outcome)
      },
      {
        detail: describe({
          summary: 'Upload a photo, and check in with it',
          description:
            'A form of at most 10 MiB with one PNG, JPEG or WebP of at most 50 megapixels, which is stored as a JPEG without metadata. With a point it is a check-in too, in one act: where that is refused (403 while paused), nothing is stored. Sent again with the same `recordedAt` it is the same photo and check-in.',
          tags,
          bodies: { 'multipart/form-data': { schema: PhotoForm } },
          answers: {
            201: {
              description: 'the photo as it is stored',
              data: Uploaded,
              example: {
                id: ID,
                createdAt: PHOTO.createdAt,
                count: 3,
                checkin: { id: ID, receivedAt: PHOTO.createdAt },
              },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'tooMany', 'unavailable'],
        }),
      },
    )
    .get(
      '/photos',
      async ({ query: { limit = PAGE_ITEMS_DEFAULT, cursor }, request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const page = await listOwnPhotos(own, userId, { limit, cursor })
        return page instanceof ApiError ? page : ok(page)
      },
      {
        query: text(Type.Object(pageQuery)),
        detail: describe({
          summary: 'My photos',
          description: 'The newest first; photos that were sent to the chat are there too.',
          tags,
          answers: {
            200: {
              description: 'a page of them',
              data: PageOf(OwnPhoto),
              example: { items: [ITEM], nextCursor: null, total: 1 },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'unavailable'],
        }),
      },
    )
    .get(
      '/photos/:id',
      async ({ params: { id }, request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const objectKey = await own.objectKeyOf(userId, id)
        const object = objectKey === null ? null : await objects.get(objectKey)
        return object ? new Response(object, { headers: { 'content-type': PHOTO_TYPE } }) : unknown
      },
      {
        params,
        detail: describe({
          summary: 'One of my photos',
          tags,
          answers: { 200: { description: 'the picture', media: { [PHOTO_TYPE]: JPEG } } },
          apiErrors,
        }),
      },
    )
    .delete(
      '/photos/:id',
      async ({ params: { id }, request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        if (!(await own.remove(userId, id))) return unknown
        await uploads.counts.drop(userId)
        await uploads.publishOutbox()
        return ok({ id, deleted: true })
      },
      {
        params,
        detail: describe({
          summary: 'Delete one of my photos',
          description: 'The picture is deleted within a few minutes. A check-in that came with it stays.',
          tags,
          answers: {
            200: {
              description: 'it is gone',
              data: Type.Object({
                id: PhotoId,
                deleted: Type.Literal(true, { description: 'it is deleted' }),
              }),
              example: { id: ID, deleted: true },
            },
          },
          apiErrors,
        }),
      },
    )
