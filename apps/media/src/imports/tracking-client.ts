import { ImportedCounts } from '@palanquin/domain/recording-import'
import type { RecordedFix } from '@palanquin/recordings/fix'
import { ApiError } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'

const DEADLINE_MS = 8_000

/** Sends points to tracking; an ApiError where none are taken now. @throws StoreUnavailable */
export type SendPoints = (
  userId: string,
  points: readonly RecordedFix[],
  /** When the file came, epoch ms. */
  receivedAt: number,
) => Promise<ImportedCounts | ApiError>

export const pointsTo =
  (tracking: ServiceClient): SendPoints =>
  async (userId, points, receivedAt) => {
    const reply = await tracking.call({
      method: 'POST',
      path: '/internal/imported-points',
      body: { userId, points },
      arrivedAt: Math.floor(receivedAt),
      deadlineMs: DEADLINE_MS,
      reply: ImportedCounts,
    })
    if (reply.ok) return reply.data
    return new ApiError(reply.status === 403 ? 'forbidden' : 'invalid', reply.message)
  }
