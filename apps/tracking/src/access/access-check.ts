import type { ActivityStatus } from '@palanquin/domain/activity'
import { acceptsGps, type PauseMessage } from '@palanquin/domain/activity'
import { mayTrack } from '@palanquin/domain/participant'
import { ApiError } from '@palanquin/service/http/api-error'
import type { ActivityView } from './activity.ts'
import type { Participants } from './participants.ts'

export type AccessCheck = ReturnType<typeof createAccessCheck>

const CLOSED_SENTENCE: Record<Exclude<ActivityStatus, 'active'>, string> = {
  paused: 'The activity is paused: positions are not taken until it goes on.',
  ended: 'The activity has ended: positions are no longer taken.',
}

function closedSentence(
  status: Exclude<ActivityStatus, 'active'>,
  message: PauseMessage | undefined,
): string {
  if (status !== 'paused' || !message) return CLOSED_SENTENCE[status]
  const { zh, en } = message
  return [CLOSED_SENTENCE.paused, ...new Set([zh, en])].join(' ')
}

/** Whether GPS is taken now, and from this participant; out of memory, without a store on the way. */
export function createAccessCheck({
  activity,
  participants,
}: {
  activity: ActivityView
  participants: Participants
}) {
  const apiErrorFor = (userId: string): ApiError | null => {
    const status = activity.status()
    if (status !== 'active' && !acceptsGps(status))
      return new ApiError('forbidden', closedSentence(status, activity.message()))
    const participant = participants.get(userId)
    if (participant && !mayTrack(participant.status))
      return new ApiError('forbidden', 'This participant has withdrawn: positions are not taken.')
    return null
  }
  return {
    /** Why GPS of this participant is not taken; null when it is. */
    apiErrorFor,
    /**
     * The gate in Redis was shut although we thought the activity active: looks again. Null when it is active after
     * all, and the gate open again.
     */
    confirmClosed: async (userId: string): Promise<ApiError | null> => {
      activity.invalidateFlags()
      await activity.refresh()
      return apiErrorFor(userId)
    },
  }
}
