import { chunk } from '@palanquin/service/chunk'
import { startThrowawayStack, storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, type Figure, median, ROUNDS } from '../benchmark.ts'
import { xadds } from '../ingest/redis-benchmark.ts'
import { cpuMsOfTree } from '../load/cpu.ts'
import { load } from '../load/load.ts'
import type { LoadPlan } from '../load/plan.ts'
import { syncBytes, userIdOf } from '../load/requests.ts'
import {
  alternateRounds,
  costNote,
  latencyOf,
  measureRound,
  type RoundResult,
  type RoundResults,
  type Side,
  throughputOf,
} from '../measure/rounds.ts'
import { usedByProcess } from '../measure/server-cpu.ts'
import { startYardstick } from '../measure/yardstick.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { crowdOn } from './crowd.ts'
import { startSkeleton } from './processes.ts'

const CONNECTIONS = 64
const CONNECTIONS_MAX = 256
/** Points per sync that `bench sync` has a target for. */
const SIZES = [100, 60] as const
const ROUND_MS = 3_000
const QUICK_ROUND_MS = 400
const XADDS = 20_000
const QUICK_XADDS = 2_000
const KEY = 'bench:skeleton'
/** As `profile, not cached`. */
const READS = 4_000
const QUICK_READS = 100
const READ_CONNECTIONS = 16
const UNCACHED_US_MAX = 350
/** Of a cached profile as it is sent. */
const PROFILE_BYTES = 600
const TABLE = 'skeleton_profiles'
const ROWS_PER_INSERT = 5_000

/**
 * The floor of the ingest path: a gateway, a service and a Redis stream that do nothing but pass a body on.
 * What the real ones are measured against is measured here for these.
 */
export const skeleton: Benchmark = {
  name: 'skeleton',
  question:
    'the floor of check-ins and syncs: bodies over TLS by a gateway and a service of Bun into a Redis stream, without a check, limit, log line or map, against the yardsticks of `checkin` and `sync`; and how many participants two cores would hold if servers did no more',
  better: 'more',
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const { caFile, redisUrl } = stack.running()
    const echo = await startYardstick({ caFile })
    const redisPid = storePid(stack.home, 'redis')
    const ours = await startSkeleton({
      caFile,
      service: ['service.ts', redisUrl, KEY],
      stores: usedByProcess('redis', redisPid),
    })
    const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
    let sent = 0
    const sideOf = (
      url: string,
      used: Side['used'],
      plan: Pick<LoadPlan, 'kind' | 'points' | 'connections'>,
    ) => ({
      used,
      drive: async () => {
        const result = await load({ ...plan, url, caFile, forMs, first: sent }, 200)
        sent += result.sent
        return result
      },
    })
    const alternate = async (name: string, sides: { ours: Side; yardstick: Side }): Promise<RoundResults> => {
      await alternateRounds(1, sides) // the first round warms up
      return alternateRounds(ROUNDS, sides, (round, last) =>
        log(
          `${name}, round ${round} of ${ROUNDS}: ${Math.round(last.ours.perSecond)} of ${Math.round(last.yardstick.perSecond)} a second`,
        ),
      )
    }
    const checkins = (connections: number) =>
      alternate(`check-ins, ${connections} connections`, {
        ours: sideOf(ours.url, ours.used, { kind: 'checkin', connections }),
        yardstick: sideOf(echo.url, usedByProcess('echo', echo.pid), { kind: 'checkin', connections }),
      })
    const syncs = (points: number) =>
      alternate(`syncs of ${points}`, {
        ours: sideOf(ours.url, ours.used, { kind: 'sync', points, connections: CONNECTIONS }),
        yardstick: {
          used: usedByProcess('redis', redisPid),
          drive: () =>
            xadds(redisUrl, {
              key: KEY,
              bytes: syncBytes(points),
              connections: CONNECTIONS,
              requests: quick ? QUICK_XADDS : XADDS,
            }),
        },
      })
    try {
      const few = await checkins(CONNECTIONS)
      const many = await checkins(CONNECTIONS_MAX)
      const also: Figure[] = [
        { name: 'skeleton, check-ins p99', better: 'less', ...latencyOf(few, 'p99Ms'), notes: [] },
        throughput(`skeleton, check-ins, ${CONNECTIONS_MAX} connections`, many),
      ]
      for (const points of SIZES) also.push(throughput(`skeleton, syncs of ${points}`, await syncs(points)))
      also.push(await uncachedReads(stack, quick ? QUICK_READS : READS))
      const bare = { url: echo.url, used: usedByProcess('echo', echo.pid) }
      also.push(await crowdOn('skeleton, crowd', ours, { caFile, quick, log }))
      also.push(await crowdOn('bare server, crowd', bare, { caFile, quick, log }))
      return { ...throughput('skeleton, check-ins', few), also }
    } finally {
      await ours.stop()
      await echo.stop()
      await stack.close()
    }
  },
}

const throughput = (name: string, rounds: RoundResults): Figure => ({
  name,
  better: 'more',
  ...throughputOf(rounds),
  notes: [costNote(rounds), `p99 ${median(latencyOf(rounds, 'p99Ms').ours).toFixed(1)} ms`],
})

/** Reads of texts as long as a profile, none of them cached, each by its key from one table. */
async function uncachedReads(stack: ThrowawayStack, reads: number): Promise<Figure> {
  const { sql, home } = stack
  const { caFile, databaseUrl } = stack.running()
  const people = reads * (ROUNDS + 1)
  await sql`CREATE TABLE ${sql(TABLE)} (user_id text PRIMARY KEY, profile text NOT NULL)`
  for (const ids of chunk(
    Array.from({ length: people }, (_, n) => userIdOf(n)),
    ROWS_PER_INSERT,
  ))
    await sql`INSERT INTO ${sql(TABLE)} SELECT id, ${'x'.repeat(PROFILE_BYTES)} FROM unnest(${ids}::text[]) AS id`
  await sql`ANALYZE ${sql(TABLE)}`
  const postgresPid = storePid(home, 'postgres')
  const ours = await startSkeleton({
    caFile,
    service: ['reading-service.ts', databaseUrl, TABLE],
    stores: () => ({ postgres: cpuMsOfTree(postgresPid) }),
  })
  try {
    const turns: RoundResult[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const plan = { kind: 'profile', connections: READ_CONNECTIONS, requests: reads } as const
      const whole = { ...plan, url: ours.url, caFile, first: round * reads, forMs: Number.MAX_SAFE_INTEGER }
      const turn = await measureRound({ drive: () => load(whole, 200), used: ours.used })
      if (round > 0) turns.push(turn) // the statement is prepared now
    }
    return {
      name: 'skeleton, profiles not cached',
      better: 'less',
      unit: 'µs of a processor',
      ours: turns.map(({ cpuUs }) => cpuUs),
      yardstick: turns.map(() => UNCACHED_US_MAX),
      notes: [
        'the yardstick is what is wanted of `profile, not cached`',
        costNote({ ours: turns, yardstick: [] }),
      ],
    }
  } finally {
    await ours.stop()
  }
}
