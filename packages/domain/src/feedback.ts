/** Feedback: its categories, its states and their changes. Contract section 4. */
import Type, { type Static } from 'typebox'
import type { Change } from './change'
import { UserId } from './ids'
import { OptionalField } from './optional'
import { PersonText } from './text'

export const FEEDBACK_STATUSES = ['open', 'in_progress', 'resolved', 'rejected'] as const
export const FeedbackStatus = Type.Enum([...FEEDBACK_STATUSES], {
  description: 'open, in_progress, resolved or rejected',
})
export type FeedbackStatus = Static<typeof FeedbackStatus>

export const FEEDBACK_CATEGORIES = ['bug', 'suggestion', 'praise', 'other'] as const
export const FeedbackCategory = Type.Enum([...FEEDBACK_CATEGORIES], {
  description: 'bug, suggestion, praise or other',
})
export type FeedbackCategory = Static<typeof FeedbackCategory>

const idRegex = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether untrusted text may be the id of feedback, which is a UUID. */
export function isFeedbackId(text: string): boolean {
  return idRegex.test(text)
}

const MESSAGE_CHARACTERS_MAX = 2000
const REPLY_CHARACTERS_MAX = 1000

const allowedChanges: Readonly<Record<FeedbackStatus, readonly FeedbackStatus[]>> = {
  open: ['in_progress'],
  in_progress: ['resolved', 'rejected', 'open'],
  resolved: ['open'],
  rejected: ['open'],
}

/** Whether feedback may change to a state. The same state is a 409 (contract). */
export function changeFeedback(from: FeedbackStatus, to: FeedbackStatus): Change {
  if (allowedChanges[from].includes(to)) return { changed: true }
  if (from === to) return { refused: `This feedback is ${from} already.` }
  return {
    refused: `Feedback that is ${from} can only become ${allowedChanges[from].join(' or ')}, not ${to}.`,
  }
}

/** The states from which feedback may become `to`, for the WHERE clause of the update. */
export function whichFeedbackMayBecome(to: FeedbackStatus): FeedbackStatus[] {
  return FEEDBACK_STATUSES.filter((from) => 'changed' in changeFeedback(from, to))
}

/** Whether the author may still edit it. */
export function mayReword(status: FeedbackStatus): boolean {
  return status === 'open'
}

const Message = PersonText({ max: MESSAGE_CHARACTERS_MAX })

/** Body of `POST /feedback`; `screenshot` is a filename that `POST /feedback-upload` gave. */
export const FeedbackBody = Type.Object({
  userId: OptionalField(UserId, '1 to 64 letters, digits, _ or -'),
  category: FeedbackCategory,
  message: Message,
  screenshot: OptionalField(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}(\\.png)?$' }),
    'a filename from feedback-upload',
  ),
  editToken: OptionalField(
    Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    '256 random bits as base64url, made by a client that may send the item again: with the same ones it is stored once. The token is that of the answer',
  ),
})
export type FeedbackBody = Static<typeof FeedbackBody>

/** Body of `PATCH /feedback/{id}` from an administrator. An empty reply removes the present one. */
export const FeedbackAnswerBody = Type.Object({
  status: OptionalField(FeedbackStatus, 'open, in_progress, resolved or rejected'),
  reply: OptionalField(
    PersonText({ min: 0, max: REPLY_CHARACTERS_MAX }),
    `a text of at most ${REPLY_CHARACTERS_MAX} characters`,
  ),
})
export type FeedbackAnswerBody = Static<typeof FeedbackAnswerBody>

/** Body of `PATCH /feedback/{id}` from its author, by the edit token. */
export const FeedbackRewordBody = Type.Object({ message: Message })
export type FeedbackRewordBody = Static<typeof FeedbackRewordBody>
