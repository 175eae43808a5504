import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { matchesEtag } from '@palanquin/service/http/etag'
import { callerOf, receivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { readSource, UploadBody, UploadForm } from './read-body.ts'
import { type Screenshots, upload } from './upload.ts'

/** The parameter of the path, decoded once: a generated name and `.png`. */
const NAME = /^([A-Za-z0-9_-]{1,64})\.png$/
/** The content never changes; in no shared cache, because a participant may be erased. */
const CACHE_CONTROL = 'private, max-age=86400, immutable'

const HEADERS = {
  'content-type': 'image/png',
  'cache-control': CACHE_CONTROL,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
}

const unknown = new ApiError('notFound', 'There is no picture of this name.')

/** A screenshot by its name; the row decides which object it is. @throws StoreUnavailable */
async function showScreenshot(
  { store, objects, log }: Pick<Screenshots, 'store' | 'objects'> & { log: Log },
  file: string,
  ifNoneMatch: string | null,
): Promise<Response | ApiError> {
  const [, filename] = NAME.exec(file) ?? []
  const objectKey = filename === undefined ? null : await store.objectKeyOf(filename)
  if (objectKey === null) return unknown
  const headers = { ...HEADERS, etag: `"${filename}"` }
  if (matchesEtag(ifNoneMatch, headers.etag)) return new Response(null, { status: 304, headers })
  const object = await objects.get(objectKey)
  if (object) return new Response(object, { headers })
  log.error({ event: 'screenshot.object_lost', objectKey }, 'The object of a screenshot is missing')
  return unknown
}

const UPLOAD_PATH = '/feedback-upload'
/** JSON or a form, read here as bytes. The gateway's limit is 102,400; this one is a backstop. */
export const RAW_BODIES = { [UPLOAD_PATH]: 1_048_576 }

const FILENAME = 'k3J9x_0aQ7mPzT-4LbVw8cYe'
/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNwcHAAAAGEAMG9oro4AAAAAElFTkSuQmCC'

const Filename = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'the name to give to POST /feedback',
})
const Upload = Type.Object({
  filename: Filename,
  width: Type.Integer({ minimum: 1, description: 'pixels, upright' }),
  height: Type.Integer({ minimum: 1, description: 'pixels, upright' }),
  url: Type.String({ description: 'the path of the picture' }),
})

const tags = ['feedback']

/** Upload and download of screenshots for feedback. Contract section 4. */
export const screenshotRoutes = (screenshots: Screenshots, log: Log) =>
  new Elysia({ name: 'screenshots' })
    .post(
      UPLOAD_PATH,
      async ({ body, request }) => {
        const source = await readSource(bodyBytes(body), request.headers.get('content-type') ?? '')
        const { client } = callerOf(request.headers)
        const outcome = await upload(screenshots, source, {
          client,
          receivedAt: receivedAtOf(request.headers),
        })
        return outcome instanceof ApiError ? outcome : ok(outcome)
      },
      {
        detail: describe({
          summary: 'Upload a screenshot for feedback',
          description:
            'A PNG, JPEG or WebP of at most 20 megapixels, as a data URL or as the one file of a form; its type is read from its bytes, not from its label. It is decoded and stored as a PNG without metadata, upright, of an animation the first frame. Give the filename to POST /feedback.',
          tags,
          bodies: {
            'application/json': { schema: UploadBody, example: { image: `data:image/png;base64,${PIXEL}` } },
            'multipart/form-data': { schema: UploadForm },
          },
          answers: {
            200: {
              description: 'the picture as it is stored',
              data: Upload,
              example: {
                filename: FILENAME,
                width: 1,
                height: 1,
                url: `/api/event/feedback-image/${FILENAME}.png`,
              },
            },
          },
          apiErrors: ['invalid', 'tooMany', 'unavailable'],
        }),
      },
    )
    .get(
      '/feedback-image/:filename',
      ({ params: { filename }, request }) =>
        showScreenshot({ ...screenshots, log }, filename, request.headers.get('if-none-match')),
      {
        detail: describe({
          summary: 'A screenshot',
          tags,
          answers: {
            200: {
              description: 'the picture',
              media: {
                'image/png': Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: 'image/png' }),
              },
              headers: ['ETag'],
            },
            304: { description: 'it is what you have', headers: ['ETag'] },
          },
          apiErrors: ['notFound', 'unavailable'],
        }),
      },
    )
