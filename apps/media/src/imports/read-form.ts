import { ApiError } from '@palanquin/service/http/api-error'
import Type from 'typebox'

/** The form as clients send it. */
export const ImportForm = Type.Object({
  file: Type.String({
    format: 'binary',
    description:
      'one recording: GPX, KML, KMZ, TCX, FIT, CSV, GeoJSON, OwnTracks (.rec or JSON), or Records.json, Timeline.json or Semantic Location History of Google; recognised by its content',
  }),
})

const NO_FORM = new ApiError('invalid', 'The body is not valid multipart/form-data.')
const NOT_ONE_FILE = new ApiError('invalid', 'file: expected exactly one file')
const EMPTY = new ApiError('invalid', 'file: it is empty')

/** The file of a form, under any name. @throws ApiError `invalid` */
export async function readImportForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Uint8Array> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw NO_FORM
  let form: Awaited<ReturnType<Response['formData']>>
  try {
    form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw NO_FORM
  }
  const files = [...form.values()].filter((value) => typeof value !== 'string')
  const [file] = files
  if (!file || files.length > 1) throw NOT_ONE_FILE
  if (file.size === 0) throw EMPTY
  return new Uint8Array(await file.arrayBuffer())
}
