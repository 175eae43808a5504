import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import {
  changeFeedback,
  FEEDBACK_STATUSES,
  FeedbackAnswerBody,
  FeedbackBody,
  isFeedbackId,
  mayReword,
  whichFeedbackMayBecome,
} from './feedback'

test('feedback goes from open to in progress, resolved or rejected, and back to open; no other way', () => {
  const outcomes = FEEDBACK_STATUSES.map((from) =>
    FEEDBACK_STATUSES.map((to) => 'changed' in changeFeedback(from, to)),
  )
  expect(outcomes).toEqual([
    // to open, in_progress, resolved, rejected
    [false, true, false, false],
    [true, false, true, true],
    [true, false, false, false],
    [true, false, false, false],
  ])
})

test('an author can edit open feedback only', () => {
  expect(FEEDBACK_STATUSES.map(mayReword)).toEqual([true, false, false, false])
})

test('feedback has a category and a message of 1 to 2000 characters', () => {
  const body = { category: 'bug', message: '地圖不會動' }
  const check = (value: unknown) => Check(FeedbackBody, value)
  expect([
    check(body),
    check({ ...body, userId: 'U1', screenshot: 'abc_1.png' }),
    check({ ...body, message: 'x'.repeat(2000) }),
  ]).toEqual([true, true, true])
  expect([
    check({ ...body, category: 'rant' }),
    check({ ...body, message: '' }),
    check({ ...body, message: 'x'.repeat(2001) }),
  ]).toEqual([false, false, false])
  expect([check({ ...body, screenshot: '../secret.png' }), check({ ...body, userId: 'a/b' })]).toEqual([
    false,
    false,
  ])
})

test('the states that may become another are those from which the change is allowed', () => {
  expect(FEEDBACK_STATUSES.map(whichFeedbackMayBecome)).toEqual([
    ['in_progress', 'resolved', 'rejected'],
    ['open'],
    ['in_progress'],
    ['in_progress'],
  ])
})

test('a reply has at most 1000 characters; an empty one removes it', () => {
  const check = (reply: unknown) => Check(FeedbackAnswerBody, { reply })
  expect([check(''), check('字'.repeat(1000)), check('👨‍👩‍👧‍👦'.repeat(1000))]).toEqual([true, true, true])
  expect([check('字'.repeat(1001)), check(7)]).toEqual([false, false])
})

test('an id of feedback is a UUID and nothing else', () => {
  const id = '0d8f2a9e-3c41-4f7b-9a52-6e1c8d7b4f30'
  expect([isFeedbackId(id), isFeedbackId(id.toUpperCase())]).toEqual([true, true])
  for (const other of ['', 'x', `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll('-', ''), `{${id}}`])
    expect(isFeedbackId(other)).toBe(false)
})
