import type { ApiErrorCode } from '@palanquin/service/http/api-error'
import { describe } from '@palanquin/service/http/openapi'
import { PageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { OwnCase, ReportedCase, StaffCase } from './view.ts'

const tags = ['lost']

const ID = '5c1f0c2e-7b46-4a57-9d0b-0f8e2a6d4b91'
const OWN = {
  id: ID,
  kind: 'lost',
  status: 'taken',
  reply: '志工正在通霄國小附近尋找。',
  createdAt: '2026-05-01T15:00:00.000Z',
  updatedAt: '2026-05-01T15:04:00.000Z',
}
const REPORT = {
  kind: 'lost',
  about: '奶奶,紅色外套,78 歲,在廟口走散',
  phone: '0912-345-678',
  place: { lat: 24.4897, lng: 120.6776 },
}
const STAFF = {
  ...OWN,
  about: REPORT.about,
  phone: '+886912345678',
  place: REPORT.place,
  photo: null,
  userId: null,
  takenBy: 'manager',
  notes: null,
  closedAt: null,
}

export const REPORT_CASE = describe({
  summary: 'Report somebody who is missing, or was found',
  description:
    'Volunteers whose last position is within 5 km of the place get a message, without the phone number, or the owners where there is none. Reports within a minute of a message come together in the next, to volunteers and owners; `notified` says how many get it. 30 an hour of an address, or of whoever is signed in. A client that makes the edit token itself may send the report again after a lost response: it is stored once. `photo` is a filename that feedback-upload gave. Text is text, never markup. Deleted a week after the case is closed.',
  tags,
  example: REPORT,
  answers: {
    201: {
      description: 'stored; the edit token authenticates the reporter',
      data: ReportedCase,
      example: {
        id: ID,
        status: 'open',
        editToken: 'hG3tq0Y1v4m9Jc2XnWb7LsKpQe8RzTfUaDi5oVy6MxE',
        notified: { volunteers: 3, owners: 0 },
      },
    },
  },
  apiErrors: ['invalid', 'unavailable'],
})

export const OWN_CASE = describe({
  summary: 'The status of my report',
  description: 'By the edit token, in the header X-Feedback-Token.',
  tags,
  answers: { 200: { description: 'status, and what the organisers say', data: OwnCase, example: OWN } },
  apiErrors: ['unauthorized', 'notFound', 'unavailable'],
})

export const CLOSE_CASE = describe({
  summary: 'Close my report: found again',
  description: 'By the edit token, in the header X-Feedback-Token.',
  tags,
  example: { status: 'closed' },
  answers: { 200: { description: 'closed', data: OwnCase, example: { ...OWN, status: 'closed' } } },
  apiErrors: ['invalid', 'unauthorized', 'notFound', 'unavailable'],
})

const errors: readonly ApiErrorCode[] = ['invalid', 'unauthorized', 'forbidden', 'notFound', 'unavailable']

export const LIST_CASES = describe({
  summary: 'Cases of lost and found, the newest first',
  description:
    'Volunteers see phone numbers masked; managers and owners see them whole, and the audit notes who did.',
  tags,
  answers: {
    200: {
      description: 'a page of cases',
      data: PageOf(StaffCase),
      example: { items: [STAFF], nextCursor: null, total: 1 },
    },
  },
  apiErrors: errors,
})

export const ADD_CASE = describe({
  summary: 'Enter a case',
  description:
    'As POST /lost, for somebody who called. With `userId` the position of that participant counts too.',
  tags,
  example: REPORT,
  answers: { 201: { description: 'as it stands now', data: StaffCase, example: STAFF } },
  apiErrors: errors,
})

export const CHANGE_CASE = describe({
  summary: 'Take, answer, correct or close a case',
  description:
    'What is left out stays. A new place or `userId` notifies the volunteers near it who were not yet, each once for a case.',
  tags,
  example: { status: 'taken', reply: OWN.reply },
  answers: { 200: { description: 'as it stands now', data: StaffCase, example: STAFF } },
  apiErrors: errors,
})

export const DELETE_CASE = describe({
  summary: 'Delete a case',
  tags,
  answers: {
    200: {
      description: 'it is gone, its photo within a day',
      data: Type.Object({ id: Type.String({ description: 'of what was deleted' }) }),
      example: { id: ID },
    },
  },
  apiErrors: errors,
})
