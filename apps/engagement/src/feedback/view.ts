import { FeedbackCategory, FeedbackStatus } from '@palanquin/domain/feedback'
import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import type { Feedback } from './store.ts'

const FeedbackId = Type.String({ format: 'uuid', description: 'the id of a feedback item' })

const Reply = Nullable(Type.String(), 'the reply of the organisers; null before it')

const shownToAll = {
  id: FeedbackId,
  category: FeedbackCategory,
  status: FeedbackStatus,
  createdAt: Iso,
  updatedAt: Iso,
  reply: Reply,
}

/** Feedback as the public sees it: no name, `userId`, message or picture (contract section 4). */
export const PublicFeedback = Type.Object(shownToAll, { additionalProperties: false })
export type PublicFeedback = Static<typeof PublicFeedback>

/** Feedback as managers and owners see it. */
export const StaffFeedback = Type.Object(
  {
    ...shownToAll,
    userId: Nullable(UserId, 'the author; null where it was sent anonymously'),
    displayName: Nullable(Type.String(), 'their name; null where none is known'),
    message: Type.String({ description: 'what was sent' }),
    screenshot: Nullable(Type.String(), 'the filename that feedback-upload gave; null without one'),
  },
  { additionalProperties: false },
)
export type StaffFeedback = Static<typeof StaffFeedback>

/** The state of one item. */
export const FeedbackState = Type.Object(
  { id: FeedbackId, status: FeedbackStatus, updatedAt: Iso, reply: Reply },
  { additionalProperties: false },
)
export type FeedbackState = Static<typeof FeedbackState>

/** The response to the author. */
export const SentFeedback = Type.Object(
  {
    id: FeedbackId,
    status: Type.Literal('open', { description: 'open, as every new item' }),
    editToken: Type.String({ description: 'for X-Feedback-Token; it is shown this once' }),
  },
  { additionalProperties: false },
)
export type SentFeedback = Static<typeof SentFeedback>

const Count = Type.Integer({ minimum: 0, description: 'items of this status' })
/** How many items have which status. */
export const FeedbackCounts = Type.Object(
  { open: Count, in_progress: Count, resolved: Count, rejected: Count },
  { additionalProperties: false },
)
export type FeedbackCounts = Static<typeof FeedbackCounts>

export const publicView = ({
  id,
  category,
  status,
  createdAt,
  updatedAt,
  reply,
}: Feedback): PublicFeedback => ({
  id,
  category,
  status,
  createdAt: toIso(createdAt.getTime()),
  updatedAt: toIso(updatedAt.getTime()),
  reply,
})

export const staffView = (item: Feedback): StaffFeedback => ({
  ...publicView(item),
  userId: item.userId,
  displayName: item.displayName,
  message: item.message,
  screenshot: item.screenshot,
})

export const stateView = ({ id, status, updatedAt, reply }: Feedback): FeedbackState => ({
  id,
  status,
  updatedAt: toIso(updatedAt.getTime()),
  reply,
})
