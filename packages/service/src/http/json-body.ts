import { boundJson, NOT_JSON, normaliseKeys } from '@palanquin/domain/payload'
import { ApiError } from './api-error.ts'

/** `body.length` past which a service refuses; the gateway's limit is 102,400, this is the backstop. */
export const BODY_BYTES_MAX = 1_048_576

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const notJson = () => new ApiError('invalid', NOT_JSON)

/** The bytes of a body. @throws ApiError `tooLarge` */
export async function readBytes(request: Request, bytesMax: number): Promise<ArrayBuffer> {
  const tooLarge = () => new ApiError('tooLarge', `The body is larger than ${bytesMax} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge()
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > bytesMax) throw tooLarge()
  return bytes
}

/** The text of a body. @throws ApiError `invalid` when it is no UTF-8 */
export function decodeJson(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw notJson()
  }
}

/** Parses a text within the limits of `boundJson`. @throws ApiError `invalid` */
export function parseJsonText(input: string): Record<string, unknown> {
  const bounded = boundJson(input)
  if ('problem' in bounded) throw new ApiError('invalid', bounded.problem)
  let value: unknown
  try {
    value = JSON.parse(bounded.text)
  } catch {
    throw notJson()
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('invalid', 'The body must be a JSON object.')
  return value as Record<string, unknown>
}

/** parseJsonObject, then camelCase keys and the aliases of clients in the field. */
export const readJsonBody = (bytes: ArrayBuffer | Uint8Array): Record<string, unknown> =>
  readJsonText(decodeJson(bytes))

/** As `readJsonBody`, of a text. @throws ApiError `invalid` */
export function readJsonText(text: string): Record<string, unknown> {
  const outcome = normaliseKeys(parseJsonText(text))
  if ('problem' in outcome) throw new ApiError('invalid', outcome.problem)
  return outcome.value as Record<string, unknown>
}
