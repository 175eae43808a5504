import { ApiError } from '@palanquin/service/http/api-error'
import type { ServiceCall, ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'
import type { PhotoPoint } from './read-form.ts'

/** A check-in is answered as soon as it is on disk. */
const DEADLINE_MS = 3_000
/** Of a check-in that came with a photo, unless its client says another. */
const PHOTO_SOURCE = 'photo'
const Receipt = Type.Object({ id: Type.String(), receivedAt: Type.String() })
export type Receipt = Static<typeof Receipt>

/** Checks in for a participant; an ApiError where tracking refuses it. @throws StoreUnavailable */
export type CheckIn = (
  userId: string,
  point: PhotoPoint,
  call: Pick<ServiceCall, 'requestId' | 'arrivedAt'>,
) => Promise<Receipt | ApiError>

/** The call of tracking by which a photo is a check-in. */
export const checkinAt =
  (tracking: ServiceClient): CheckIn =>
  async (userId, point, call) => {
    const reply = await tracking.call({
      method: 'POST',
      path: '/internal/checkin',
      body: { source: PHOTO_SOURCE, ...point, userId },
      ...call,
      deadlineMs: DEADLINE_MS,
      reply: Receipt,
    })
    if (reply.ok) return reply.data
    return new ApiError(reply.status === 403 ? 'forbidden' : 'invalid', reply.message)
  }
