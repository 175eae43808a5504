import { REQUEST_ID_PATTERN } from '@palanquin/domain/ids'
import { REQUEST_ID_HEADER } from '@palanquin/service/http/headers'

const pattern = new RegExp(REQUEST_ID_PATTERN)

/** The request's own id if it is valid, else a new one. The response and every log line carry it. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER)
  return given !== null && pattern.test(given) ? given : Bun.randomUUIDv7()
}
