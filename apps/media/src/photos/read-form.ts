import { normaliseKeys } from '@palanquin/domain/payload'
import { CheckinBody } from '@palanquin/domain/point/input'
import { parseRecordedAt } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { readFileForm } from '@palanquin/service/http/file-form'
import { parseJsonText } from '@palanquin/service/http/json-body'
import { text } from '@palanquin/service/http/standard-schema'
import Type, { type Static } from 'typebox'

/** A check-in but for whose it is. */
const Point = Type.Omit(CheckinBody, ['userId'])
export type PhotoPoint = Static<typeof Point>

/** The form as clients send it. */
export const PhotoForm = Type.Object({
  photo: Type.String({ format: 'binary', description: 'one file, under any name: PNG, JPEG or WebP' }),
  point: Type.Optional(
    Type.String({
      description:
        'a check-in as JSON, `{lat, lng, recordedAt?, accuracy?, note?, …}`; its fields may also be fields of the form. Left out, the photo is no check-in',
    }),
  ),
})

const points = text(Point)['~standard']

/** The photo and its point, null without one. The image is unchecked. @throws ApiError `invalid` */
export async function readPhotoForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<{ image: Uint8Array; point: PhotoPoint | null }> {
  const { file, texts } = await readFileForm(bytes, { contentType, field: 'photo' })
  return { image: file, point: pointOf(texts) }
}

function pointOf({ point, ...fields }: Record<string, string>): PhotoPoint | null {
  const input = { ...fields, ...(point === undefined ? {} : parseJsonText(point)) }
  const outcome = normaliseKeys(input)
  if ('problem' in outcome) throw new ApiError('invalid', outcome.problem)
  const named = Object.entries(outcome.value ?? {}).filter(([, value]) => value !== '' && value !== null)
  const known = Object.fromEntries(named.filter(([name]) => name in Point.properties))
  if (Object.keys(known).length === 0) return null
  return points.validate({ ...known, ...recordedAtOf(known.recordedAt) }).value
}

/** Epoch times of a form are texts. */
const recordedAtOf = (input: unknown): { recordedAt?: number } => {
  const ms = typeof input === 'string' && /^\d{1,16}$/.test(input) ? parseRecordedAt(Number(input)) : null
  return ms === null ? {} : { recordedAt: ms }
}
