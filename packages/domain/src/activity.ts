/** The activity as a whole: active, paused or ended, and what each lets through. Specification 3.1, contract section 5. */
import Type, { type Static } from 'typebox'
import type { Change } from './change'

export const ACTIVITY_STATUSES = ['active', 'paused', 'ended'] as const
export const ActivityStatus = Type.Enum([...ACTIVITY_STATUSES])
export type ActivityStatus = Static<typeof ActivityStatus>

/** Body of `PUT /admin/status`: `ended` is a 400, it has its own endpoint. */
export const ActivityStatusBody = Type.Object({
  status: Type.Enum(['paused', 'active'], { description: 'paused or active' }),
})
export type ActivityStatusBody = Static<typeof ActivityStatusBody>

/** Whether the status may be set; same to same is fine and changes nothing. `ended` is reached by `endActivity` alone. */
export function changeActivity(from: ActivityStatus, to: ActivityStatus): Change {
  if (from === to) return { changed: false }
  if (from === 'ended') return { refused: 'The activity has ended; it cannot be resumed or paused.' }
  if (to === 'ended')
    return { refused: 'The activity is ended by POST admin/end-activity, not by setting its status.' }
  return { changed: true }
}

/** Ends the activity from any status; a second end changes nothing. */
export function endActivity(from: ActivityStatus): { changed: boolean } {
  return { changed: from !== 'ended' }
}

/** Whether check-ins and tracks are taken. */
export function acceptsGps(status: ActivityStatus): boolean {
  return status === 'active'
}

/** Whether surveys are taken. */
export function acceptsSurvey(status: ActivityStatus): boolean {
  return status !== 'ended'
}
