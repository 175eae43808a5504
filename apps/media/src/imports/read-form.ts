import { ApiError } from '@palanquin/service/http/api-error'
import { readFileForm } from '@palanquin/service/http/file-form'
import Type from 'typebox'

/** The form as clients send it. */
export const ImportForm = Type.Object({
  file: Type.String({
    format: 'binary',
    description:
      'one recording: GPX, KML, KMZ, TCX, FIT, CSV, GeoJSON, OwnTracks (.rec or JSON), or Records.json, Timeline.json or Semantic Location History of Google; recognised by its content',
  }),
})

const EMPTY = new ApiError('invalid', 'file: it is empty')

/** The file of a form, under any name. @throws ApiError `invalid` */
export async function readImportForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Uint8Array> {
  const { file } = await readFileForm(bytes, { contentType, field: 'file' })
  if (file.byteLength === 0) throw EMPTY
  return file
}
