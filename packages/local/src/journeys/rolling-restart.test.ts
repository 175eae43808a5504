import { afterAll, beforeAll, expect, test } from 'bun:test'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import type { Reply } from '../api.ts'
import { GATEWAY } from '../stack/environment.ts'
import { rollingRestart } from '../stack/rolling-restart.ts'
import { setOut, type ThrowawayStack } from '../throwaway-stack.ts'

const PAUSE_MS = 60
const CHECKINS = 40

let stack: ThrowawayStack
const book = ledger()
beforeAll(async () => {
  stack = await setOut({ COPIES: '2' })
})
afterAll(() => stack.close())

const checkin = async (userId: string, index: number): Promise<Reply> => {
  const recordedAt = Date.now()
  const reply = await stack.api.post('/checkin', {
    userId,
    lat: 23.5 + index / 10_000,
    lng: 120.4,
    recordedAt,
  })
  book.note(pointKey({ userId, kind: 'checkin', recordedAt }), outcomeOf(reply.status))
  return reply
}

/** What clients do all day; none of it is tried twice. */
const deeds = (userId: string, index: number): Record<string, () => Promise<Reply>> => ({
  'a check-in': () => checkin(userId, index),
  'a profile': () => stack.api.post('/user/sync', { userId, displayName: `Walker ${index}` }),
  'a look at it': () => stack.api.get(`/user/${userId}`),
  'a consent': () => stack.api.post('/privacy', { userId, consent: true }),
  'the map': () => stack.api.get('/data?limit=10'),
  'photos counted': () => stack.api.get(`/photos/count?userId=${userId}`),
})

test('every copy of every service restarts under load, and no client sees a failed request', async () => {
  const failed: string[] = []
  let [going, answered] = [true, 0]
  const lane = async (name: string) => {
    for (let index = 0; going; index++)
      for (const [deed, act] of Object.entries(deeds(`${name}-${index}`, index))) {
        const status = await act().then(
          (reply) => reply.status,
          (error: Error) => error.message,
        )
        if (typeof status === 'string' || status >= 400) failed.push(`${deed}: ${status}`)
        else answered++
        await Bun.sleep(PAUSE_MS)
      }
  }
  const lanes = ['a', 'b', 'c', 'd'].map(lane)
  const pids = () => Object.values(stack.running().services).map(({ pid }) => pid)
  const before = new Set(pids())
  const names = Object.keys(stack.running().services).filter((name) => name !== GATEWAY)
  await rollingRestart(stack.home, { names, tell: () => {} })
  going = false
  await Promise.all(lanes)
  expect(pids().filter((pid) => before.has(pid))).toHaveLength(1) // the gateway
  expect(failed).toEqual([])
  expect(answered).toBeGreaterThan(100)
}, 240_000)

test('the end drains the journal of every copy of tracking: what only their disks held is in its outcome', async () => {
  stack.redis.suspend()
  const taken = await Promise.all(
    Array.from({ length: CHECKINS }, (_, index) => checkin(`late-${index}`, index)),
  ).finally(() => stack.redis.resume())
  expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 202))
  const ended = await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))
  expect(ended.status).toBe(200)
  const { acknowledged, indeterminate, ...found } = await auditPoints(stack.sql, book)
  expect(found).toEqual(NOTHING_WRONG)
  expect(indeterminate).toBe(0)
  expect(ended.body).toMatchObject({ data: { checkins: acknowledged } })
}, 120_000)
