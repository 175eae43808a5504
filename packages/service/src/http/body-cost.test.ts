import { expect, test } from 'bun:test'
import { FeedbackAnswerBody, FeedbackBody, FeedbackRewordBody } from '@palanquin/domain/feedback'
import { parseBoundingBox } from '@palanquin/domain/geo'
import { ParticipantStatusBody, PhoneBody, PrivacyBody, UserSyncBody } from '@palanquin/domain/participant'
import { CheckinBody, TrackSyncBody } from '@palanquin/domain/point/input'
import { SubmitBody } from '@palanquin/domain/survey'
import { processorMs } from '@palanquin/testing/processor-time'
import type { TObject } from 'typebox'
import { body } from './standard-schema.ts'

/** What fits into a body of 102,400 bytes. */
const CHARACTERS = 95_000
/** Reading such a text once takes a millisecond or two. */
const MS_MAX = 200

const STARTS = ['', 'https://', '2026-01-01T', '+']
const REPEATED = ['a', '1', '=', 'A=', ' ', '\u0301', '呢', '👩‍👩‍👧']
const ENDS = ['', '"']
const TEXTS = STARTS.flatMap((start) =>
  REPEATED.flatMap((part) => ENDS.map((end) => start + part.repeat(CHARACTERS / part.length) + end)),
)

const BODIES: Record<string, TObject> = {
  CheckinBody,
  FeedbackAnswerBody,
  FeedbackBody,
  FeedbackRewordBody,
  ParticipantStatusBody,
  PhoneBody,
  PrivacyBody,
  SubmitBody,
  TrackSyncBody,
  UserSyncBody,
}
const FIELDS = Object.entries(BODIES).flatMap(([name, schema]) =>
  Object.keys(schema.properties).map((field) => ({ name, schema, field })),
)

/** The least of three where the first was dear. */
function leastMs(work: () => unknown): number {
  const first = processorMs(work)
  return first < MS_MAX ? first : Math.min(processorMs(work), processorMs(work))
}

test.each(FIELDS)('no text in the field $field of $name costs more than reading it', ({ schema, field }) => {
  const { validate } = body(schema)['~standard']
  for (const text of TEXTS) {
    const ms = leastMs(() => {
      try {
        validate({ userId: 'U1', [field]: text })
      } catch {
        // Whether it fits is for other tests to say.
      }
    })
    expect([text.slice(0, 12), ms < MS_MAX ? 'cheap' : `${ms} ms`]).toEqual([text.slice(0, 12), 'cheap'])
  }
})

test.each(['1', '1.', ' ', '+', '9'])(
  'a bounding box of many %j is refused at the cost of reading it',
  (part) => {
    const text = `${part.repeat(CHARACTERS / part.length)}x,1,2,3`
    let read: unknown
    expect(leastMs(() => (read = parseBoundingBox(text)))).toBeLessThan(MS_MAX)
    expect(read).toHaveProperty('error')
  },
)
