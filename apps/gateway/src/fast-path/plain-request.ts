import { decodeJson } from '@palanquin/service/http/json-body'

/** Digits without a sign, a comma (two headers) or a blank. */
const LENGTH = /^[1-9]\d{0,5}$/
const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
])

/** Whether a body is sent as nearly all clients send it: JSON of an announced length, as it is. */
export function hasPlainBody(headers: Headers, bytesMax: number): boolean {
  const length = headers.get('content-length')
  if (length === null || !LENGTH.test(length) || Number(length) > bytesMax) return false
  if (!JSON_TYPES.has((headers.get('content-type') ?? '').toLowerCase())) return false
  return !headers.has('content-encoding') && !headers.has('transfer-encoding')
}

/** The text of a body; undefined for what is no UTF-8. */
export function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    return decodeJson(bytes)
  } catch {
    return undefined // the checks say so to the client
  }
}
