import { type ActivityStatus, acceptsGps, type PauseMessage } from '@palanquin/domain/activity'
import { mayTrack } from '@palanquin/domain/participant'
import { ApiError } from '@palanquin/service/http/api-error'
import type { ActivityView } from './activity.ts'
import type { Participants } from './participants.ts'

export type AccessCheck = ReturnType<typeof createAccessCheck>

type Closed = Exclude<ActivityStatus, 'active'>
/** Why GPS is not accepted. */
export type GpsDenial = Closed | 'withdrawn'

const CLOSED_SENTENCE: Record<Closed, string> = {
  paused: 'The activity is paused: positions are not taken until it goes on.',
  ended: 'The activity has ended: positions are no longer taken.',
}

const WITHDRAWN_SENTENCE = 'This participant has withdrawn: positions are not taken.'

function closedSentence(status: Closed, message: PauseMessage | undefined): string {
  if (status !== 'paused' || !message) return CLOSED_SENTENCE[status]
  return [CLOSED_SENTENCE.paused, ...new Set([message.zh, message.en])].join(' ')
}

type Views = { activity: ActivityView; participants: Participants }

/** Whether GPS is accepted now, and from this participant; from memory, without a store. */
export function createAccessCheck({ activity, participants }: Views) {
  const denialOf = (userId: string): GpsDenial | null => {
    const status = activity.status()
    if (status !== 'active' && !acceptsGps(status)) return status
    const participant = participants.get(userId)
    return participant && !mayTrack(participant.status) ? 'withdrawn' : null
  }
  const apiErrorFor = (userId: string): ApiError | null => {
    const denial = denialOf(userId)
    if (denial === null) return null
    return new ApiError(
      'forbidden',
      denial === 'withdrawn' ? WITHDRAWN_SENTENCE : closedSentence(denial, activity.message()),
    )
  }
  return {
    /** Why GPS of this participant is not accepted now, as a code; null when it is. */
    denialOf,
    /** Why GPS of this participant is not accepted; null when it is. */
    apiErrorFor,
    /**
     * The flag in Redis says closed although this process thinks the activity active: reads it again. Null when it is
     * active after all, and the flag cleared.
     */
    confirmClosed: async (userId: string): Promise<ApiError | null> => {
      activity.invalidateFlags()
      await activity.refresh()
      return apiErrorFor(userId)
    },
  }
}
