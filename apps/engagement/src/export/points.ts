import { ApiError } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'

/** Nine days of a point a second take half a minute. */
const DEADLINE_MS = 120_000

/** All points of a participant as a JSON array, or the check-ins alone. @throws StoreUnavailable */
export type ReadPoints = (
  userId: string,
  options: { kind?: 'checkin'; requestId: string },
) => Promise<AsyncIterable<string> | ApiError>

/** The points as the map process has them, which reads tracks, so that this costs check-ins nothing. */
export const pointsFromMap =
  (map: ServiceClient): ReadPoints =>
  async (userId, { kind, requestId }) => {
    const reply = await map.callStream({
      path: `/internal/points/${userId}`,
      ...(kind ? { query: { kind } } : {}),
      requestId,
      deadlineMs: DEADLINE_MS,
    })
    if (!reply.ok) return new ApiError('unavailable', reply.message)
    return textOf(reply.data)
  }

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}
