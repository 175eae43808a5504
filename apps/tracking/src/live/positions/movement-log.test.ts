import { expect, test } from 'bun:test'
import type { LivePosition } from './live-position.ts'
import { createMovementLog } from './movement-log.ts'

const positionOf = (userId: string): LivePosition => ({
  ...{ userId, shard: 0, id: userId, lat: 0, lng: 0, recordedAt: 0, km: 0, checkins: 0 },
  movedAt: [0, 0],
  pending: [],
  ...{
    accuracyM: null,
    battery: null,
    isCounted: false,
    isPublic: false,
    isAnonymous: false,
    publicName: null,
    cell: null,
    texts: {},
  },
})

test('a log that is never read stays in proportion to the positions, and gives their latest movements in order', () => {
  const log = createMovementLog()
  const positions = ['a', 'b', 'c'].map(positionOf)
  for (let at = 1; at <= 30_000; at++) {
    const position = positions[at % 3]
    if (!position) throw new Error('three positions')
    position.movedAt = [at, 0]
    log.add(position, at <= 3)
  }
  expect(log.size()).toBeLessThan(2_000)
  expect([...log.since([29_998, 0])].map(({ userId }) => userId)).toEqual(['c', 'a'])
  expect([...log.since([0, 0])]).toHaveLength(3)
})
