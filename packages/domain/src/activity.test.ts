import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import {
  ACTIVITY_STATUSES,
  ActivityStatusBody,
  acceptsGps,
  acceptsSurvey,
  changeActivity,
  endActivity,
} from './activity'

test('the activity is paused and resumed, never brought back, and never ended by setting its status', () => {
  const outcomes = ACTIVITY_STATUSES.map((from) =>
    ACTIVITY_STATUSES.map((to) => {
      const change = changeActivity(from, to)
      return 'refused' in change ? 'refused' : change.changed
    }),
  )
  expect(outcomes).toEqual([
    // to active, paused, ended
    [false, true, 'refused'],
    [true, false, 'refused'],
    ['refused', 'refused', false],
  ])
})

test('the activity ends from any status, once', () => {
  expect(ACTIVITY_STATUSES.map(endActivity)).toEqual([
    { changed: true },
    { changed: true },
    { changed: false },
  ])
})

test('GPS is taken while active, surveys until the end', () => {
  expect(ACTIVITY_STATUSES.map(acceptsGps)).toEqual([true, false, false])
  expect(ACTIVITY_STATUSES.map(acceptsSurvey)).toEqual([true, true, false])
})

test('the status body takes active and paused alone', () => {
  expect(
    ['active', 'paused', 'ended', 'Active', null].map((status) => Check(ActivityStatusBody, { status })),
  ).toEqual([true, true, false, false, false])
})
