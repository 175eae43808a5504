import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { entryWriter } from '../journal/write-entry.ts'
import { appendSyncs, type Sync } from './append-sync.ts'
import { decodeEntry } from './decode.ts'
import type { Tuple } from './entry.ts'
import { closedKey, countKey, erasedKey, pointsKey, recentKey, waitingKey } from './keys.ts'
import { packTuples } from './pack-sync.ts'
import { readHead } from './read.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NOW = 1_790_000_000_000
const log = createLog({ service: 'test', level: 'silent' })
const SHARD = 0
/** Of one shard: on a cluster a script has one node. */
const USERS = Array.from({ length: 2_000 }, (_, i) => `pilgrim-${i}`).filter((id) => shardOf(id) === SHARD)
const [ANNA = '', BERTA = '', CLARA = ''] = USERS

let server: TestServer
let redis: Redis
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'Redis' })
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})
beforeEach(async () => {
  await redis.send(pointsKey(SHARD), ['FLUSHALL'])
})

const pointAt = (minute: number): Tuple => [NOW + minute * 60_000, 24, 120.6, 8, null, null, null]
const syncOf = (userId: string, minutes: readonly number[]): Sync => ({
  userId,
  token: `of-${userId}`,
  source: 'ios',
  receivedAt: NOW,
  points: packTuples(minutes.map(pointAt)),
})
/** Who sent how many points, as a flush reads it. */
const stored = async () =>
  (await readHead(redis, SHARD, { entries: 1_000, points: 10_000 })).map((entry) => {
    const { points, setAside } = decodeEntry(entry, SHARD)
    const { u, n, r } = entry.fields
    expect([setAside.length, n]).toEqual([0, String(points.length)])
    return [u, points.map(({ point }) => (point.recordedAt - NOW) / 60_000), r]
  })

test('the syncs of a batch are appended in their order, each whole or not at all', async () => {
  const outcomes = await appendSyncs(redis, [
    syncOf(ANNA, [0, 1]),
    syncOf(BERTA, [0]),
    syncOf(ANNA, [2, 1, 3]),
    syncOf(ANNA, [4]),
  ])
  expect(outcomes).toEqual(['appended', 'appended', { duplicates: new Set([1]) }, 'appended'])
  expect(await stored()).toEqual([
    [ANNA, [0, 1], String(NOW)],
    [BERTA, [0], String(NOW)],
    [ANNA, [4], String(NOW)],
  ])
  expect(await redis.get(countKey(SHARD))).toBe('4')
  expect((await redis.sMembers(waitingKey(SHARD))).sort()).toEqual([ANNA, BERTA].sort())
  expect(await redis.lLen(recentKey(ANNA))).toBe(2)
})

test('each sync of a batch is remembered as long as it says, and its outcome stands where it stood', async () => {
  const imported = (userId: string, minutes: readonly number[]) => ({
    ...syncOf(userId, minutes),
    windowMs: 3_600_000,
  })
  const batch = [syncOf(ANNA, [0]), imported(BERTA, [0]), syncOf(ANNA, [1, 0]), imported(BERTA, [0, 1])]
  expect(await appendSyncs(redis, [...batch, syncOf(CLARA, [0])])).toEqual([
    'appended',
    'appended',
    { duplicates: new Set([1]) },
    { duplicates: new Set([0]) },
    'appended',
  ])
  expect(await redis.pTTL(recentKey(ANNA))).toBeWithin(1, 60_001)
  expect(await redis.pTTL(recentKey(BERTA))).toBeWithin(60_001, 3_600_001)
})

test('what was refused is not remembered: by the closed flag, or by a Redis that is full', async () => {
  await redis.set(closedKey(SHARD), 'paused')
  expect(await appendSyncs(redis, [syncOf(ANNA, [0]), syncOf(BERTA, [0])])).toEqual(['closed', 'closed'])
  await redis.del(closedKey(SHARD))
  await redis.send(pointsKey(SHARD), ['CONFIG', 'SET', 'maxmemory', '1'])
  try {
    await expect(appendSyncs(redis, [syncOf(ANNA, [0]), syncOf(BERTA, [0])])).rejects.toThrow()
  } finally {
    await redis.send(pointsKey(SHARD), ['CONFIG', 'SET', 'maxmemory', '0'])
  }
  expect(await redis.exists([recentKey(ANNA), recentKey(BERTA), countKey(SHARD), pointsKey(SHARD)])).toBe(0)
  expect(await appendSyncs(redis, [syncOf(ANNA, [0])])).toEqual(['appended'])
})

test('of a participant at most 64 syncs are remembered', async () => {
  for (let sync = 0; sync < 80; sync += 20)
    await appendSyncs(
      redis,
      Array.from({ length: 20 }, (_, at) => syncOf(CLARA, [sync + at])),
    )
  expect(await redis.lLen(recentKey(CLARA))).toBe(64)
  expect(await appendSyncs(redis, [syncOf(CLARA, [0]), syncOf(CLARA, [79])])).toEqual([
    'appended',
    { duplicates: new Set([0]) },
  ])
})

test('whatever the order of its times, a point is found again in any of the last 64 syncs, and in no other', async () => {
  // Mostly later than the one before, as a phone sends; often of the past.
  const minutes = fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 4 })
  const later = fc.oneof({ weight: 2, arbitrary: fc.nat({ max: 3 }) }, fc.integer({ min: -12, max: 12 }))
  const sequence = fc.array(fc.tuple(later, minutes), { minLength: 1, maxLength: 150 })
  await fc.assert(
    fc.asyncProperty(sequence, fc.integer({ min: 1, max: 32 }), async (steps, sizeMax) => {
      await redis.send(pointsKey(SHARD), ['FLUSHALL'])
      let from = 1_000
      const syncs = steps.map(([more, of]) => {
        from = Math.max(0, from + more)
        return of.map((minute) => from + minute)
      })
      const remembered: number[][] = []
      const expected = syncs.map((sync) => {
        const known = new Set(remembered.slice(-64).flat())
        const duplicates = sync.flatMap((minute, at) => (known.has(minute) ? [at] : []))
        if (duplicates.length > 0) return { duplicates: new Set(duplicates) }
        remembered.push(sync)
        return 'appended'
      })
      const outcomes = []
      for (const group of chunk(syncs, sizeMax))
        outcomes.push(
          ...(await appendSyncs(
            redis,
            group.map((sync) => syncOf(ANNA, sync)),
          )),
        )
      expect(outcomes).toEqual(expected)
    }),
    { seed: 20261123, numRuns: 40 },
  )
})

test('nothing is kept of a sync that was received before its sender was erased', async () => {
  await redis.hSet(erasedKey(SHARD), `of-${ANNA}`, String(NOW))
  const later = { ...syncOf(ANNA, [1]), receivedAt: NOW + 1 }
  const syncs = [syncOf(ANNA, [0, 1]), syncOf(BERTA, [0]), later]
  expect(await appendSyncs(redis, syncs)).toEqual(['erased', 'appended', 'appended'])
  expect(await stored()).toEqual([
    [BERTA, [0], String(NOW)],
    [ANNA, [1], String(NOW + 1)],
  ])
})

test('journal lines of this version and of earlier ones come back as the same points', async () => {
  const write = entryWriter({ redis, tokenOf: (userId) => `of-${userId}`, seen: new Set<string>(), log })
  const head = { userId: ANNA, source: 'ios', receivedAt: NOW }
  const { packed, count } = packTuples([pointAt(0), pointAt(1)])
  expect(await write(JSON.stringify({ ...head, count, packed }))).toBe('taken')
  expect(await write(JSON.stringify({ ...head, points: [pointAt(0), pointAt(1)] }))).toBe('taken')
  const [one, other] = await stored()
  expect(one).toEqual([ANNA, [0, 1], String(NOW)])
  expect(other).toEqual(one)
  expect(await redis.get(countKey(SHARD))).toBe('4')
})
