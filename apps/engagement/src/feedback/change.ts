import {
  changeFeedback,
  type FeedbackAnswerBody,
  type FeedbackBody,
  mayReword,
} from '@palanquin/domain/feedback'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { editTokenHash, isEditToken, newEditToken } from '../edit-token.ts'
import { busy } from '../participants/change.ts'
import type { StatisticsCache } from '../participants/statistics-cache.ts'
import type { Feedback, FeedbackStore } from './store.ts'
import type { SentFeedback } from './view.ts'

/** Each lost attempt is a concurrent change of the same item. */
const TRIES_MAX = 5

const PNG = '.png'

export type SendingFeedback = {
  store: FeedbackStore
  cache: StatisticsCache
  ownerOf: (userId: string) => Promise<string>
  receiptOf: ReceiptOf
  tags: CredentialTags
}

/** Stores feedback, once for an edit token: a client cannot know whether a lost response was a success. */
export async function sendFeedback(
  { store, cache, ownerOf, receiptOf, tags }: SendingFeedback,
  { userId: named, category, message, screenshot, editToken: input }: FeedbackBody,
  receivedAt: number,
): Promise<SentFeedback | ApiError> {
  const editToken = newEditToken(tags, input ?? undefined)
  const userId = named ? await ownerOf(named) : null
  const id = await store.create({
    userId,
    receipt: userId && receiptOf(userId, receivedAt),
    category,
    message,
    screenshotNames: screenshot ? namesOf(screenshot) : [],
    editTokenHash: editTokenHash(editToken),
  })
  if (id === 'erased') return busy()
  if (id === null) return new ApiError('invalid', 'screenshot: expected a filename that feedback-upload gave')
  if (userId) await cache.drop(userId)
  return { id, status: 'open', editToken }
}

/** An administrator's reply, change of status, or both at once. */
export async function answerFeedback(
  store: FeedbackStore,
  id: string,
  { status, reply, by }: FeedbackAnswerBody & { by: string },
): Promise<Feedback | ApiError> {
  const to = status ?? null
  if (to === null && (reply ?? null) === null)
    return new ApiError('invalid', 'status, reply: expected at least one of them')
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await store.answer(id, { status: to, reply: reply ?? null, by })
    if (changed) return changed
    const present = await store.read(id)
    if (!present) return noSuchFeedback()
    const change = to === null ? { changed: true } : changeFeedback(present.status, to)
    if ('refused' in change) return new ApiError('conflict', change.refused)
  }
  return new ApiError(
    'unavailable',
    'Somebody else is changing this feedback right now; please try again shortly.',
  )
}

/** Rewords open feedback. Ids are public: an unknown one is 404, and a wrong token 401 in any state. */
export async function rewordFeedback(
  store: FeedbackStore,
  id: string,
  { token, readMessage }: { token: string; readMessage: () => string },
): Promise<Feedback | ApiError> {
  const hash = await store.hashOf(id)
  if (!isEditToken(token, hash))
    return hash === null ? noSuchFeedback() : new ApiError('unauthorized', 'The edit token is not valid.')
  const message = readMessage()
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await store.reword(id, { message, editTokenHash: editTokenHash(token) })
    if (changed) return changed
    const present = await store.read(id)
    if (!present) return noSuchFeedback()
    if (!mayReword(present.status))
      return new ApiError(
        'conflict',
        `This feedback is ${present.status} by now and can no longer be reworded.`,
      )
  }
  return new ApiError(
    'unavailable',
    'Somebody else is changing this feedback right now; please try again shortly.',
  )
}

export const noSuchFeedback = () => new ApiError('notFound', 'There is no feedback of this id.')

/** Clients name a screenshot with or without its extension. */
function namesOf(screenshot: string): string[] {
  const bare = screenshot.endsWith(PNG) ? screenshot.slice(0, -PNG.length) : screenshot
  return [bare, bare + PNG]
}
