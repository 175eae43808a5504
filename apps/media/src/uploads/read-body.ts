import { UserId } from '@palanquin/domain/ids'
import { OptionalField } from '@palanquin/domain/optional'
import { normaliseKeys } from '@palanquin/domain/payload'
import { ApiError } from '@palanquin/service/http/api-error'
import { isForm, readFileForm } from '@palanquin/service/http/file-form'
import { readJsonBody } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import Type, { type Static } from 'typebox'

export const UploadBody = Type.Object({
  image: Type.String({ minLength: 1, description: 'a data URL: data:image/png;base64,…' }),
  userId: OptionalField(UserId, '1 to 64 letters, digits, _ or -'),
})
const UploadFields = Type.Pick(UploadBody, ['userId'])

/** The image of a form; the file's name and label are ignored. */
export const UploadForm = Type.Object({
  image: Type.String({ format: 'binary', description: 'one file, under any name' }),
  userId: Type.Optional(UserId),
})

export type Source = { bytes: Uint8Array; userId: string | null }

const json = body(UploadBody)['~standard']
const fields = body(UploadFields)['~standard']

const NO_DATA_URL = new ApiError(
  'invalid',
  'image: expected a data URL, data:image/png;base64,… (PNG, JPEG or WebP)',
)
const NO_BASE64 = new ApiError('invalid', 'image: the data URL does not hold valid base64')

/** Parameters (`;name=a.png`) may stand between the type and the encoding. */
const DATA_URL = /^data:image\/(?:png|jpe?g|webp)(?:;[\w.+-]+=[\w.+%-]*)*;base64,/i
/** With or without the padding; white space was removed before. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The image of an upload, JSON or multipart; its type is read from its bytes later. @throws ApiError `invalid` */
export async function readSource(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Source> {
  if (isForm(contentType)) return readForm(bytes, contentType)
  const { value } = json.validate(readJsonBody(bytes))
  return { bytes: fromDataUrl(value.image), userId: value.userId ?? null }
}

/** The bytes in a data URL of an image. @throws ApiError */
export function fromDataUrl(url: string): Uint8Array {
  const [head] = DATA_URL.exec(url) ?? []
  if (head === undefined) throw NO_DATA_URL
  const data = url.slice(head.length).replace(/\s+/g, '')
  if (!BASE64.test(data) || withoutPadding(data).length % 4 === 1) throw NO_BASE64
  return Buffer.from(data, 'base64')
}

/** For valid base64, which has at most two padding characters. */
const withoutPadding = (data: string): string =>
  data.slice(0, data.length - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0))

async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Source> {
  const { file, texts } = await readFileForm(bytes, { contentType, field: 'image' })
  return { bytes: file, userId: textFields(texts).userId ?? null }
}

function textFields(texts: Record<string, string>): Static<typeof UploadFields> {
  const outcome = normaliseKeys(texts)
  if ('problem' in outcome) throw new ApiError('invalid', outcome.problem)
  return fields.validate(outcome.value).value
}
