import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import {
  ACTIVITY_STATUSES,
  ActivityStatusBody,
  acceptsGps,
  acceptsSurvey,
  changeActivity,
  endActivity,
  pauseMessageOf,
  publicStatus,
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

test('a message in one text stands for both languages; left out and null are different', () => {
  const status = 'paused'
  expect(pauseMessageOf({ status, message: '休息' })).toEqual({ zh: '休息', en: '休息' })
  expect(pauseMessageOf({ status, message: { zh: '休息', en: 'Rest' } })).toEqual({ zh: '休息', en: 'Rest' })
  expect(pauseMessageOf({ status, message: null })).toBeNull()
  expect(pauseMessageOf({ status })).toBeUndefined()
})

test('an active activity is upcoming until its start, and active since then at the earliest', () => {
  const active = { status: 'active', sinceMs: 100 } as const
  expect(publicStatus(active, null, 0)).toEqual({ status: 'active', sinceMs: 100 })
  expect(publicStatus(active, 500, 499)).toEqual({ status: 'upcoming', sinceMs: 100 })
  expect(publicStatus(active, 500, 500)).toEqual({ status: 'active', sinceMs: 500 })
  expect(publicStatus({ status: 'active', sinceMs: 900 }, 500, 1_000).sinceMs).toBe(900)
  for (const status of ['paused', 'ended'] as const)
    expect(publicStatus({ status, sinceMs: 100 }, 500, 0)).toEqual({ status, sinceMs: 100 })
})
