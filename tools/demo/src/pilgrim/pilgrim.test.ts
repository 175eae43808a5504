import { expect, test } from 'bun:test'
import { SYNC_POINTS_MAX as CONTRACT_POINTS_MAX } from '@palanquin/domain/point/input'
import { CLOCK_DRIFT_MS_MAX } from '@palanquin/domain/point/judge'
import { verifySurvey } from '@palanquin/domain/survey'
import type { Action } from './actions.ts'
import { planPilgrim } from './pilgrim.ts'

const MINUTE_MS = 60_000
const time = { beginMs: Date.parse('2026-04-17T14:00:00Z'), lastsMs: 120_000, speed: 600 }
const pilgrims = Array.from({ length: 40 }, (_, index) => planPilgrim('demo', index, { seed: 1, time }))

const isTaken = (answers: object): boolean => 'answers' in verifySurvey(answers)

/** The highest number of actions of a kind within any 60 seconds. */
function busiestMinute(actions: readonly Action[], kind: Action['kind']): number {
  const times = actions.filter((action) => action.kind === kind).map(({ atMs }) => atMs)
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length))
}

test('the same seed gives the same pilgrim, another seed another', () => {
  const [first] = pilgrims
  expect(planPilgrim('demo', 0, { seed: 1, time })).toEqual(
    first ?? planPilgrim('demo', 1, { seed: 1, time }),
  )
  expect(planPilgrim('demo', 0, { seed: 2, time }).actions).not.toEqual(first?.actions ?? [])
})

test('nothing is sent before it was recorded, within the tolerance for clocks', () => {
  for (const { actions } of pilgrims)
    for (const action of actions) {
      const latest =
        action.kind === 'sync'
          ? Math.max(...action.points.map(({ recordedAt }) => recordedAt))
          : action.point.recordedAt
      expect(latest - (time.beginMs + action.atMs)).toBeLessThan(CLOCK_DRIFT_MS_MAX)
    }
})

test('every point of a walk is in some sync, and no sync is larger than the contract allows', () => {
  for (const { actions } of pilgrims) {
    const syncs = actions.flatMap((action) => (action.kind === 'sync' ? [action.points] : []))
    const sent = new Set(syncs.flat().map(({ recordedAt }) => recordedAt))
    expect(sent.size).toBeGreaterThan(500)
    for (const points of syncs) {
      expect(points.length).toBeLessThanOrEqual(CONTRACT_POINTS_MAX)
      expect(JSON.stringify({ userId: 'x'.repeat(64), points }).length).toBeLessThan(102_400)
    }
  }
})

test('about a third take the survey, with valid answers, and phone numbers of their own', () => {
  const surveys = pilgrims.flatMap(({ survey }) => survey ?? [])
  expect(surveys.length).toBeWithin(pilgrims.length / 6, pilgrims.length / 2)
  expect(surveys.flatMap(({ answers }) => (isTaken(answers) ? [] : [answers]))).toEqual([])
  const phones = surveys.flatMap(({ phone }) => phone ?? [])
  expect(new Set(phones).size).toBe(phones.length)
  expect(phones.length).toBeWithin(1, surveys.length)
})

test('most pilgrims respect the limit of five check-ins a minute; a few exceed it on purpose', () => {
  const eager = pilgrims.filter(({ actions }) => busiestMinute(actions, 'checkin') > 5)
  expect(eager.length).toBeLessThan(pilgrims.length / 5)
})
