/** The activity as a whole: active, paused or ended. Specification 3.1, contract section 5. */
import Type, { type Static } from 'typebox'
import type { Change } from './change'
import { OptionalField } from './optional'
import { PersonText } from './text'

export const ACTIVITY_STATUSES = ['active', 'paused', 'ended'] as const
export const ActivityStatus = Type.Enum([...ACTIVITY_STATUSES], { description: 'active, paused or ended' })
export type ActivityStatus = Static<typeof ActivityStatus>

const MESSAGE_CHARACTERS_MAX = 500
const MESSAGE_EXPECTED = 'a text of 1 to 500 characters, or {zh, en} with one each'
const MessageText = PersonText({ max: MESSAGE_CHARACTERS_MAX })

/** What clients show while the activity is paused, in both languages. */
export const PauseMessage = Type.Object({ zh: MessageText, en: MessageText })
export type PauseMessage = Static<typeof PauseMessage>

/** Body of `PUT /admin/status`: `ended` is a 400, it has its own endpoint. */
export const ActivityStatusBody = Type.Object({
  status: Type.Enum(['paused', 'active'], { description: 'paused or active' }),
  message: OptionalField(
    Type.Union([MessageText, PauseMessage], { description: MESSAGE_EXPECTED }),
    `${MESSAGE_EXPECTED}; null takes it back`,
  ),
})
export type ActivityStatusBody = Static<typeof ActivityStatusBody>

/** The message to store: one text is for both languages, undefined leaves it, null removes it. */
export function pauseMessageOf({ message }: ActivityStatusBody): PauseMessage | null | undefined {
  return typeof message === 'string' ? { zh: message, en: message } : message
}

/** Before its start the activity is `upcoming`, though check-ins are taken (a rehearsal). */
export const PublicStatus = Type.Enum(['upcoming', 'active', 'paused', 'ended'], {
  description: 'upcoming, active, paused or ended',
})
export type PublicStatus = Static<typeof PublicStatus>

/** The public status at `nowMs`, and since when; `startsAtMs` is null where no start is known. */
export function publicStatus(
  { status, sinceMs }: { status: ActivityStatus; sinceMs: number },
  startsAtMs: number | null,
  nowMs: number,
): { status: PublicStatus; sinceMs: number } {
  if (status !== 'active' || startsAtMs === null) return { status, sinceMs }
  if (nowMs < startsAtMs) return { status: 'upcoming', sinceMs }
  return { status, sinceMs: Math.max(sinceMs, startsAtMs) }
}

/** Whether the status may be set; the same status changes nothing, and `endActivity` alone ends it. */
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
