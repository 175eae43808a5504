import { dataOf } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import Compile from 'typebox/compile'
import { type Benchmark, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { userIdOf } from '../load/requests.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { checkInParticipants } from './map-participants.ts'

const PARTICIPANTS = 100_000
const QUICK_PARTICIPANTS = 10_000
const MOVERS = 1_000
const REPEATS = 20
const BATCH = 5_000
const MOVED_KEY = 'bench:moved'
const PLACES_KEY = 'bench:places'

const Delta = Type.Object({
  points: Type.Array(Type.Object({ recordedAt: Type.String() })),
  cursor: Type.String(),
})

type Moved = Static<typeof Delta>
/** Compiled: interpreting the schema a thousand times takes longer than the response. */
const answer = Compile(Type.Object({ data: Delta }))

/** Participants moved since a cursor, against Redis answering the same query alone. */
export const delta: Benchmark = {
  name: 'delta',
  question: `GET /data?since of ${MOVERS} movers out of ${PARTICIPANTS.toLocaleString('en-US')} through the TLS gateway, against ZRANGEBYSCORE and HMGET of the same in Redis`,
  better: 'less',
  wanted: 3,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const redis = new Bun.RedisClient(stack.running().redisUrl)
    try {
      const participants = quick ? QUICK_PARTICIPANTS : PARTICIPANTS
      await checkInParticipants(stack, participants)
      await keepPlaces(redis, participants)
      log('all participants are on the map')
      const since = async (cursor: string): Promise<Moved> => {
        const { body } = await stack.api.get(`/data?since=${cursor}`)
        if (!answer.Check(body)) throw new Error('not a response of /data')
        return body.data
      }
      let cursor = await firstCursor(stack)
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      for (let round = 1; round <= ROUNDS; round++) {
        await move(stack, round * MOVERS)
        for (let n = 0; n < MOVERS; n++)
          await redis.send('ZADD', [MOVED_KEY, String(round), userIdOf(round * MOVERS + n)])
        await until(async () => (await since(cursor)).points.length === MOVERS, {
          what: 'all movers on the map',
        })
        const before = cursor
        measured.yardstick.push(await msOf(() => movedSince(redis, round)))
        measured.ours.push(await msOf(async () => (await since(before)).points.length))
        cursor = (await since(cursor)).cursor
      }
      return {
        unit: 'ms',
        ...measured,
        notes: [`one after another, the answer parsed; each had its ${MOVERS} movers`],
      }
    } finally {
      redis.close()
      await stack.close()
    }
  },
}

/** A cursor after the first thousand moves; before that everyone has moved since. */
async function firstCursor(stack: ThrowawayStack): Promise<string> {
  const began = new Date().toISOString()
  await move(stack, 0)
  const map = () => stack.api.get('/data').then((reply) => dataOf(Delta, reply))
  return until(
    async () => {
      const { points, cursor } = await map()
      return points.filter(({ recordedAt }) => recordedAt >= began).length === MOVERS && cursor
    },
    { what: 'the first movers on the map' },
  )
}

async function msOf(work: () => Promise<number>): Promise<number> {
  const startedMs = performance.now()
  for (let i = 0; i < REPEATS; i++) {
    const found = await work()
    if (found !== MOVERS) throw new Error(`${MOVERS} have moved and ${found} were found`)
  }
  return (performance.now() - startedMs) / REPEATS
}

/** Each mover checks in at a new place. */
async function move({ running }: ThrowawayStack, first: number): Promise<void> {
  const { url, caFile } = running()
  const plan = {
    url: `${url}/api/event/checkin`,
    caFile,
    kind: 'checkin',
    connections: 8,
    forMs: 600_000,
  } as const
  await load({ ...plan, requests: MOVERS, first }, 202)
}

async function keepPlaces(redis: Bun.RedisClient, participants: number): Promise<void> {
  for (let first = 0; first < participants; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, participants - first) }, (_, n) => userIdOf(first + n))
    const place = (id: string) =>
      JSON.stringify({ id, lat: 24.123456, lng: 120.654321, recordedAt: Date.now(), level: 1 })
    await redis.send('HSET', [PLACES_KEY, ...ids.flatMap((id) => [id, place(id)])])
    await redis.send('ZADD', [MOVED_KEY, ...ids.flatMap((id) => ['0', id])])
  }
}

async function movedSince(redis: Bun.RedisClient, score: number): Promise<number> {
  const ids: unknown = await redis.send('ZRANGEBYSCORE', [MOVED_KEY, String(score), '+inf'])
  if (!Array.isArray(ids)) return 0
  const places: unknown = await redis.send('HMGET', [PLACES_KEY, ...ids.map(String)])
  return Array.isArray(places) ? places.map((place) => JSON.parse(String(place))).length : 0
}
