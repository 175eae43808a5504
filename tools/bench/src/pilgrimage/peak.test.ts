import { expect, test } from 'bun:test'
import {
  BUSY_SHARE_MAX,
  busyCores,
  type Costs,
  needsOf,
  participantsByDrive,
  participantsOn,
  ratesOf,
  sum,
} from './peak.ts'

const COSTS: Costs = {
  pointsPerSync: 2,
  cpuUs: {
    sync: { gateway: 200, tracking: 100, redis: 20 },
    checkin: { gateway: 100, tracking: 50 },
    profile: { gateway: 100, engagement: 100, postgres: 100 },
    map: { gateway: 500, tracking: 1_000 },
    flush: { tracking: 10, postgres: 20 },
    connection: { gateway: 300 },
  },
  idleMsPerS: 20,
  bufferBytesPerPoint: 60,
  diskBytesPerPoint: 100,
  walBytesPerPoint: 80,
  inBytes: { sync: 600, checkin: 400, profile: 200, map: 200 },
  outBytes: { sync: 500, checkin: 500, profile: 1_500, map: 50_000 },
}

test('300,000 participants with two points a minute are 5,000 syncs and some 10,000 points a second', () => {
  const { sync, flush, map } = ratesOf(300_000)
  expect([sync, flush, map]).toEqual([5_000, 10_100, 600])
})

test('larger syncs come less often: the points stay the same', () => {
  const { sync, flush } = ratesOf(300_000, 60)
  expect(sync).toBeCloseTo(166.667)
  expect(flush).toBe(10_100)
  const [often, rarely] = [needsOf(COSTS, 300_000), needsOf({ ...COSTS, pointsPerSync: 60 }, 300_000)]
  expect(rarely.pointsPerDay).toBe(often.pointsPerDay)
  expect(rarely.busyCores).toBeLessThan(often.busyCores)
})

test('the stated capacity of a machine keeps its cores exactly as busy as allowed', () => {
  for (const cores of [1, 2, 16]) {
    const busy = sum(busyCores(COSTS, participantsOn(COSTS, cores)))
    expect(busy).toBeLessThanOrEqual(cores * BUSY_SHARE_MAX)
    expect(busy).toBeGreaterThan(cores * BUSY_SHARE_MAX - 0.001)
  }
})

test('a machine that idles at its limit has no capacity', () =>
  expect(participantsOn({ ...COSTS, idleMsPerS: 2_000 }, 2)).toBe(0))

test('needs grow linearly with the participants, and match the arithmetic on paper', () => {
  const [one, ten] = [needsOf(COSTS, 30_000), needsOf(COSTS, 300_000)]
  expect(ten.diskGbPerDay).toBeCloseTo(10 * one.diskGbPerDay)
  // 10,100 points/s × 43,200 s × half of the peak × 100 bytes
  expect(ten.diskGbPerDay).toBeCloseTo(21.816)
  expect(ten.linePushes).toBe(1_800_000)
  expect(ten.cores).toBe(Math.ceil(ten.busyCores / BUSY_SHARE_MAX))
})

test('what was really driven gives the capacity in proportion to what it added to the idle cost', () => {
  const driven = { participants: 50_000, doneShare: 1, busy: 0.7, idle: 0.2 }
  expect(participantsByDrive(driven, 2)).toBe(100_000)
  expect(participantsByDrive({ ...driven, participants: participantsByDrive(driven, 2), busy: 1.2 }, 2)).toBe(
    100_000,
  )
})

test('requests that were not done served nobody: a machine that is too full has no more room than one that is full', () => {
  const full = { participants: 100_000, doneShare: 1, busy: 1.2, idle: 0.2 }
  const tooFull = { ...full, participants: 200_000, doneShare: 0.5 }
  expect(participantsByDrive(tooFull, 2)).toBe(participantsByDrive(full, 2))
})
