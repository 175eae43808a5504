import { expect, test } from 'bun:test'
import { movementLog } from './movements.ts'
import type { Walker } from './walker.ts'

const walkerCalled = (userId: string): Walker => ({
  ...{ userId, shard: 0, id: userId, lat: 0, lng: 0, recordedAt: 0, km: 0, checkins: 0 },
  movedAt: [0, 0],
  pending: [],
  shown: {},
})

test('a log that nobody looks at stays in proportion to the walkers, and tells their latest movements in order', () => {
  const log = movementLog()
  const walkers = ['a', 'b', 'c'].map(walkerCalled)
  for (let at = 1; at <= 30_000; at++) {
    const walker = walkers[at % 3]
    if (!walker) throw new Error('three walkers')
    walker.movedAt = [at, 0]
    log.add(walker, at <= 3)
  }
  expect(log.size()).toBeLessThan(2_000)
  expect([...log.since([29_998, 0])].map(({ userId }) => userId)).toEqual(['c', 'a'])
  expect([...log.since([0, 0])]).toHaveLength(3)
})
