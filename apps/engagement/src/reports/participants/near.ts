import { WITHIN_MAX, WithinBody, WithinReply } from '@palanquin/domain/find'
import { ApiError } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import Value from 'typebox/value'

/** A look at 300,000 positions takes some hundredths of a second, more on a busy machine. */
const DEADLINE_MS = 3_000

export const NEAR_EXPECTED = 'lat,lng,km: degrees, and a distance of more than 0 and at most 1000 km'
const expected = new ApiError('invalid', `near: expected ${NEAR_EXPECTED}`)
const tooMany = new ApiError(
  'invalid',
  `near: expected a distance within which there are at most ${WITHIN_MAX} people`,
)

/** Who is near a place by the live map; an ApiError for too many. @throws StoreUnavailable */
export type ReadWithin = (circle: WithinBody, requestId: string) => Promise<readonly string[] | ApiError>

/** Any copy of the map will do: each of them sees the whole buffer. */
export const withinFromMap =
  (map: ServiceClient): ReadWithin =>
  async (body, requestId) => {
    const call = { method: 'POST', path: '/internal/within', body } as const
    const reply = await map.call({ ...call, requestId, deadlineMs: DEADLINE_MS, reply: WithinReply })
    if (!reply.ok) return new ApiError('invalid', reply.message)
    return reply.data.isTooMany ? tooMany : reply.data.userIds
  }

/** The circle of `?near=lat,lng,km`. */
export function circleOf(near: string): WithinBody | ApiError {
  const numbers = near.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [lat, lng, km] = numbers
  const circle = { lat, lng, km }
  return numbers.length === 3 && Value.Check(WithinBody, circle) ? circle : expected
}
