import { setOut } from '../src/throwaway-stack.ts'
import { type Benchmark, median, ROUNDS } from './benchmark.ts'
import { countStored } from './counted.ts'
import { load } from './load/load.ts'
import { SYNC_POINTS } from './load/requests.ts'
import { xaddsPerSecond } from './redis-benchmark.ts'
import { NO_FLUSH } from './settings.ts'

const CONNECTIONS = 64
const ROUND_MS = 3_000
const QUICK_ROUND_MS = 500
const XADDS = 30_000
const QUICK_XADDS = 3_000

/** Points into the buffer through the whole edge, against Redis alone taking the same bytes. */
export const sync: Benchmark = {
  name: 'sync',
  question: `points/s into the buffer by track/sync of ${SYNC_POINTS} points through the TLS gateway, against raw XADD by redis-benchmark of entries of the same bytes`,
  better: 'more',
  wanted: 0.25,
  run: async (say, { quick }) => {
    const stack = await setOut(NO_FLUSH)
    const { url, caFile, redisUrl } = stack.running()
    const redis = new Bun.RedisClient(redisUrl)
    try {
      const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
      const plan = {
        url: `${url}/api/event/track/sync`,
        caFile,
        kind: 'sync',
        connections: CONNECTIONS,
      } as const
      let sent = (await load({ ...plan, forMs: QUICK_ROUND_MS, first: 0 }, 200)).sent
      const bytes = await entryBytes(redis)
      const xadd = (size: number, key: string) =>
        xaddsPerSecond(redisUrl, {
          key,
          bytes: size,
          requests: quick ? QUICK_XADDS : XADDS,
          connections: CONNECTIONS,
        })
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      const perPoint: number[] = []
      for (let n = 1; n <= ROUNDS; n++) {
        measured.yardstick.push((await xadd(bytes, 'bench:entries')) * SYNC_POINTS)
        const result = await load({ ...plan, forMs, first: sent }, 200)
        sent += result.sent
        measured.ours.push(result.perSecond * SYNC_POINTS)
        perPoint.push(await xadd(Math.round(bytes / SYNC_POINTS), 'bench:points'))
        await stack.api.flush() // what waits must not grow from round to round
        say(`round ${n} of ${ROUNDS}: ${Math.round(measured.ours.at(-1) ?? 0)} points/s`)
      }
      const stored = await countStored(stack, sent * SYNC_POINTS)
      return {
        unit: 'points/s',
        ...measured,
        notes: [
          `an entry is one sync: ${bytes} bytes, ${(bytes / SYNC_POINTS).toFixed(0)} a point; ${CONNECTIONS} connections each`,
          `against an XADD a point, of the same bytes a point: ${(median(measured.ours) / median(perPoint)).toFixed(2)} ×`,
          `all ${stored} points that were answered 200 are in PostgreSQL`,
        ],
      }
    } finally {
      redis.close()
      await stack.close()
    }
  },
}

/** How long the fields of a buffered sync are. */
async function entryBytes(redis: Bun.RedisClient): Promise<number> {
  for (const key of await keysOf(redis, '*:points')) {
    const reply: unknown = await redis.send('XRANGE', [key, '-', '+', 'COUNT', '1'])
    const text = JSON.stringify(Array.isArray(reply) ? reply[0]?.[1] : null)
    if (text !== undefined && text.length > SYNC_POINTS) return text.length
  }
  throw new Error('there is no sync in the buffer')
}

async function keysOf(redis: Bun.RedisClient, pattern: string): Promise<string[]> {
  const reply: unknown = await redis.send('KEYS', [pattern])
  return Array.isArray(reply) ? reply.map(String) : []
}
