import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import { changeFeedback, FEEDBACK_STATUSES, FeedbackBody, mayReword } from './feedback'

test('feedback walks open, in progress, resolved or rejected, and back to open; anything else is refused', () => {
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

test('only open feedback is reworded by its author', () => {
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
