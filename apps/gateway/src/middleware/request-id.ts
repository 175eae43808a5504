import { randomUUID } from 'node:crypto'
import { REQUEST_ID_PATTERN } from '@palanquin/domain/ids'
import { REQUEST_ID_HEADER } from '@palanquin/service/http/headers'

const pattern = new RegExp(REQUEST_ID_PATTERN)

/** The request's own id when it is one, else a new one. It comes back on the answer and stands in every log. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER)
  return given !== null && pattern.test(given) ? given : randomUUID()
}
