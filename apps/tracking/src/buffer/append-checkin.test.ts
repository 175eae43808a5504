import { afterAll, beforeAll, expect, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { until } from '@palanquin/testing/until'
import { type AcceptedCheckin, appendCheckins, CHECKINS_PER_SCRIPT_MAX } from './append-checkin.ts'
import { countKey, pointsKey } from './keys.ts'

const NOW = 1_790_000_000_000
const SHARD = 0
const PILGRIMS = 2_000
/** For some hundreds of them: it ends within a batch, wherever that is. */
const ROOM_BYTES = 300_000
/** Of one shard: on a cluster a script has one node. */
const USERS = Array.from({ length: 50_000 }, (_, i) => `pilgrim-${i}`).filter((id) => shardOf(id) === SHARD)

let server: TestServer
let redis: Redis

beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({
    url: server.url,
    name: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await until(() => redis.isReady, { what: 'Redis' })
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})

const batch = (from: number): AcceptedCheckin[] =>
  USERS.slice(from, from + CHECKINS_PER_SCRIPT_MAX).map((userId) => ({
    id: `id-${userId}`,
    userId,
    source: 'web',
    receivedAt: NOW,
    point: [NOW, 24, 120.6, null, null, null, null],
  }))
/** What the node of the shard may hold beside what it holds now; undefined: as much as it likes. */
const leaveRoom = async (bytes?: number) => {
  const memory = String(await redis.send(pointsKey(SHARD), ['INFO', 'memory']))
  const used = Number(/^used_memory:(\d+)/m.exec(memory)?.[1])
  const limit = bytes === undefined ? 0 : used + bytes
  await redis.send(pointsKey(SHARD), ['CONFIG', 'SET', 'maxmemory', String(limit)])
}
const append = (checkins: readonly AcceptedCheckin[]) =>
  appendCheckins(redis, checkins, { tokenOf: () => 'token', mode: 'live', deadlineMs: 60_000 })

test('while Redis fills up a batch is appended whole or not at all, and a refused one succeeds later', async () => {
  await append(batch(0)) // Redis knows the script
  let taken = CHECKINS_PER_SCRIPT_MAX
  // One may be refused and a later one fit, as the server's own buffers grow and shrink.
  const refused: number[] = []
  try {
    await leaveRoom(ROOM_BYTES)
    for (let from = taken; from < PILGRIMS; from += CHECKINS_PER_SCRIPT_MAX) {
      const words = await append(batch(from)).catch(() => undefined)
      if (words) {
        expect(new Set(words)).toEqual(new Set(['appended']))
        taken += CHECKINS_PER_SCRIPT_MAX
      } else refused.push(from)
      expect(await redis.xLen(pointsKey(SHARD))).toBe(taken)
    }
  } finally {
    await leaveRoom()
  }
  expect(taken).toBeGreaterThan(CHECKINS_PER_SCRIPT_MAX)
  expect(refused.length).toBeGreaterThan(0)
  for (const from of refused) expect(new Set(await append(batch(from)))).toEqual(new Set(['appended']))
  expect(await redis.xLen(pointsKey(SHARD))).toBe(PILGRIMS)
  expect(await redis.get(countKey(SHARD))).toBe(String(PILGRIMS))
})
