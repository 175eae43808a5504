import { ApiError } from './api-error.ts'

const NO_FORM = new ApiError('invalid', 'The body is not valid multipart/form-data.')

export const isForm = (contentType: string): boolean => /^multipart\/form-data\s*;/i.test(contentType)

/** The one file of a form and the fields beside it. @throws ApiError `invalid` unless there is exactly one */
export async function readFileForm(
  bytes: Uint8Array<ArrayBuffer>,
  { contentType, field }: { contentType: string; field: string },
): Promise<{ file: Uint8Array<ArrayBuffer>; texts: Record<string, string> }> {
  if (!isForm(contentType)) throw NO_FORM
  let form: Awaited<ReturnType<Response['formData']>>
  try {
    form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw NO_FORM
  }
  const entries = [...form.entries()]
  const files = entries.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]))
  const [file] = files
  if (!file || files.length > 1) throw new ApiError('invalid', `${field}: expected exactly one file`)
  const texts = entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return { file: new Uint8Array(await file.arrayBuffer()), texts: Object.fromEntries(texts) }
}
