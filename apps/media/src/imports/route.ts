import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { readFileForm } from '@palanquin/service/http/file-form'
import { callerOf, receivedAtOf, USER_HEADER } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { acceptImport, type Imports } from './accept.ts'
import { ImportId, ImportState } from './report.ts'
import { FILE_BYTES_MAX } from './run.ts'
import type { ImportStore } from './store.ts'

/** The form as clients send it. */
const ImportForm = Type.Object({
  file: Type.String({
    format: 'binary',
    description:
      'one recording: GPX, KML, KMZ, TCX, FIT, CSV, GeoJSON, OwnTracks (.rec or JSON), or Records.json, Timeline.json or Semantic Location History of Google; recognised by its content',
  }),
})

const EMPTY = new ApiError('invalid', 'file: it is empty')

/** The file of a form, under any name. @throws ApiError `invalid` */
async function readImportForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Uint8Array> {
  const { file } = await readFileForm(bytes, { contentType, field: 'file' })
  if (file.byteLength === 0) throw EMPTY
  return file
}

const UPLOAD_PATH = '/upload/import'
export const IMPORT_BODIES = { [UPLOAD_PATH]: FILE_BYTES_MAX }

const ID = '0198c0de-7a31-7c2e-9d4b-1f60a4b7c812'
const tags = ['GPS']
const notSignedIn = new ApiError('unauthorized', 'Recordings are imported by their own participant alone.')
const unknown = new ApiError('notFound', 'You have no import of this id.')

/** Files of recorded walks, imported for oneself. Phone apps, section 5. */
export const importRoutes = ({ imports, store }: { imports: Imports; store: Pick<ImportStore, 'read'> }) =>
  new Elysia({ name: 'imports' })
    .post(
      UPLOAD_PATH,
      async ({ body, request, set }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const bytes = await readImportForm(bodyBytes(body), request.headers.get('content-type') ?? '')
        const { client } = callerOf(request.headers)
        const receivedAt = receivedAtOf(request.headers)
        const outcome = await acceptImport(imports, { userId, bytes, client, receivedAt })
        if (outcome instanceof ApiError) return outcome
        set.status = 202
        return ok(outcome)
      },
      {
        detail: describe({
          summary: 'Import a file of a recorded walk',
          description:
            'A form of at most 50 MiB with one file; unpacked at most 200 MiB. It is read in the background, one at a time for each participant (409); `GET /import/{id}` says what became of it. Its points are judged as those of `/track/sync`, and those of before the activity are not taken. Only paths and raw signals of Google’s files are points: never visits, homes or work places. The same file again counts once. People take turns, and each has a million points and a minute of computing a day; beyond that an import fails with `spent_today`.',
          tags,
          bodies: { 'multipart/form-data': { schema: ImportForm } },
          answers: {
            202: {
              description: 'it is stored, and will be read',
              data: Type.Object({ importId: ImportId }),
              example: { importId: ID },
            },
          },
          apiErrors: [
            'invalid',
            'unauthorized',
            'forbidden',
            'conflict',
            'tooLarge',
            'tooMany',
            'unavailable',
          ],
        }),
      },
    )
    .get(
      '/import/:id',
      async ({ params: { id }, request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const found = await store.read(userId, id)
        if (!found) return unknown
        const { report, status, error, errorCode } = found
        return ok({ importId: id, status, ...report, error, errorCode })
      },
      {
        params: text(Type.Object({ id: ImportId })),
        detail: describe({
          summary: 'What became of an imported file',
          description: 'Kept for a week. The kilometres follow with the next flush.',
          tags,
          answers: {
            200: {
              description: 'the report so far',
              data: ImportState,
              example: {
                importId: ID,
                status: 'done',
                format: 'gpx',
                points: 503,
                stored: 498,
                duplicates: 2,
                tooOld: 1,
                invalid: 2,
                reasons: { noTime: 2, noPlace: 0, future: 0, outOfRange: 0 },
                from: '2026-04-17T14:05:00.000Z',
                to: '2026-04-17T22:25:00.000Z',
                incomplete: false,
                error: null,
                errorCode: null,
              },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'notFound', 'unavailable'],
        }),
      },
    )
