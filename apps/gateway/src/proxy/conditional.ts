import { matchesEtag } from '@palanquin/service/http/etag'
import type { PlainResponse } from '../response.ts'

/** RFC 9110, 15.4.5: a 304 has the headers that the 200 would have had, but for those of its body. */
export function forReader(response: PlainResponse, ifNoneMatch: string | null): PlainResponse {
  const { etag, 'content-type': _, 'content-encoding': __, ...headers } = response.headers
  if (response.status !== 200 || etag === undefined || !matchesEtag(ifNoneMatch, etag)) return response
  if (response.body instanceof ReadableStream) void response.body.cancel()
  return { status: 304, headers: { ...headers, etag }, body: null }
}
