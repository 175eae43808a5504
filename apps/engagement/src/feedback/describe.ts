import { describe } from '@palanquin/service/http/openapi'
import { PageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { USER_ID } from '../participants/examples.ts'
import { FeedbackCounts, FeedbackState, PublicFeedback, SentFeedback, StaffFeedback } from './view.ts'

const tags = ['feedback']

const ID = '0d8f2a9e-3c41-4f7b-9a52-6e1c8d7b4f30'
const SHOWN_TO_ALL = {
  id: ID,
  category: 'bug',
  status: 'resolved',
  createdAt: '2026-05-01T15:00:00.000Z',
  updatedAt: '2026-05-02T01:30:00.000Z',
  reply: '已修正,謝謝您!',
}
const SHOWN_TO_STAFF = {
  ...SHOWN_TO_ALL,
  userId: USER_ID,
  displayName: '林媽媽',
  message: '過橋以後地圖就不動了。',
  screenshot: 'pNn1rQ3vT0y8WzKc5dXb2A',
}

export const SEND = describe({
  summary: 'Send feedback',
  description:
    'The edit token is shown this once: with it the author may reword the message while the feedback is open. A client that makes the token itself may send the item again after a lost response: it is stored once. `screenshot` is a filename that feedback-upload gave, with or without `.png`.',
  tags,
  example: { userId: USER_ID, category: 'bug', message: SHOWN_TO_STAFF.message },
  answers: {
    200: {
      description: 'stored; the edit token authenticates the author',
      data: SentFeedback,
      example: { id: ID, status: 'open', editToken: 'hG3tq0Y1v4m9Jc2XnWb7LsKpQe8RzTfUaDi5oVy6MxE' },
    },
  },
  apiErrors: ['invalid', 'unavailable'],
})

export const LIST = describe({
  summary: 'Feedback, the newest first',
  description:
    'Without a token, or with a volunteer’s, without names, `userId`, message and picture; managers and owners see everything.',
  tags,
  answers: {
    200: {
      description: 'a page of feedback',
      data: Type.Union([PageOf(StaffFeedback), PageOf(PublicFeedback)]),
      example: { items: [SHOWN_TO_ALL], nextCursor: null, total: 1 },
    },
  },
  apiErrors: ['invalid', 'unavailable'],
})

export const STATUS = describe({
  summary: 'The state of one item, or the number of items by status',
  tags,
  answers: {
    200: {
      description: 'with `id` the state of that item, without it the count by status',
      data: Type.Union([FeedbackState, FeedbackCounts]),
      example: { open: 3, in_progress: 1, resolved: 12, rejected: 0 },
    },
  },
  apiErrors: ['invalid', 'notFound', 'unavailable'],
})

export const PATCH = describe({
  summary: 'Answer feedback, or reword it',
  description:
    'Managers and owners give `status`, `reply` or both; an empty reply takes the earlier one back. open → in_progress → resolved or rejected; in_progress → open; resolved or rejected → open. The author gives `message` with the header X-Feedback-Token, while the feedback is open.',
  tags,
  example: { status: 'in_progress', reply: '我們正在查。' },
  answers: {
    200: {
      description: 'the item as it stands: for staff with everything, for its author as the public sees it',
      data: Type.Union([StaffFeedback, PublicFeedback]),
      example: { ...SHOWN_TO_STAFF, status: 'in_progress', reply: '我們正在查。' },
    },
  },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'conflict', 'unavailable'],
})
