import { openRedis } from '@palanquin/backup/streams'
import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { ask, type MeasuredStage, perSecond } from './ask.ts'
import type { Driver } from './drive.ts'
import { type Processors, type Stage, sumStages } from './processors.ts'
import { FIX_EVERY_MS, type Sample, syncsOf } from './requests.ts'

/** MEMORY USAGE looks at every node of a stream, not at the first five. */
const EVERY_NODE = 0

type Sizes = { redisBytes: number; diskBytes: number; walBytes: number }

/** The size of the waiting points in Redis, and of PostgreSQL, and how much that has written to its log. */
async function sizesOf({ running, sql }: ThrowawayStack): Promise<Sizes> {
  const [row] = await sql<{ disk: number; wal: number }[]>`
    SELECT pg_database_size(current_database())::float8 AS disk,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`
  return {
    redisBytes: await bytesOfWaitingPoints(running().redisUrl),
    diskBytes: row?.disk ?? 0,
    walBytes: row?.wal ?? 0,
  }
}

/** Of the points' streams alone: caches and limits that expire meanwhile would take more away than points add. */
async function bytesOfWaitingPoints(url: string): Promise<number> {
  const redis = await openRedis(url)
  try {
    const sizes = await Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        redis.memoryUsage(`${shardTag(shard)}:points`, { SAMPLES: EVERY_NODE }),
      ),
    )
    return sizes.reduce<number>((all, bytes) => all + (bytes ?? 0), 0)
  } finally {
    redis.destroy()
  }
}

const FLUSH_EVERY_ROUNDS = 5
/** A participant may sync ten times per minute of wall time; further syncs wait for that. */
const SYNCS_PER_WALL_MINUTE = 10
const WALL_MINUTE_MS = 61_000

type Walk = {
  processors: Processors
  driver: Driver
  sample: Sample
  pointsPerSync: number
  rounds: number
  log: (line: string) => void
}
export type Walked = Awaited<ReturnType<typeof walk>>

/** Everybody of the sample sends so many syncs, and every fifth is followed by a flush. */
export async function walk(
  stack: ThrowawayStack,
  { processors, driver, sample, pointsPerSync, rounds, log }: Walk,
) {
  const syncs: MeasuredStage[] = []
  const flushes: Stage[] = []
  const bufferBytes: number[] = []
  const beganMs = Date.now() - rounds * pointsPerSync * FIX_EVERY_MS
  const startedMs = performance.now()
  const first = await sizesOf(stack)
  let emptied = first.redisBytes
  for (let round = 0; round < rounds; round++) {
    const dueMs = Math.floor(round / SYNCS_PER_WALL_MINUTE) * WALL_MINUTE_MS
    await Bun.sleep(Math.max(0, dueMs - (performance.now() - startedMs)))
    syncs.push(await ask(processors, driver, syncsOf(sample, { beganMs, round, pointsPerSync }), 200))
    if ((round + 1) % FLUSH_EVERY_ROUNDS !== 0 && round + 1 < rounds) continue
    const buffered = (await sizesOf(stack)).redisBytes - emptied
    const flush = await processors.stage(async () => {
      const { flushed, tookMs } = await stack.api.flush()
      return { pieces: flushed, tookMs }
    })
    flushes.push(flush)
    bufferBytes.push(buffered / flush.pieces)
    emptied = (await sizesOf(stack)).redisBytes
    const last = syncs.at(-1)
    log(
      `sync ${round + 1} of ${pointsPerSync} points: ${last && perSecond(last)} a second; flush of ${flush.pieces} points: ${perSecond(flush)}/s`,
    )
  }
  const last = await sizesOf(stack)
  const flush = sumStages(flushes)
  const sync = { ...syncs[0], ...sumStages(syncs) }
  return {
    flush,
    sync: { inBytes: 0, outBytes: 0, ...sync },
    costs: {
      pointsPerSync,
      bufferBytesPerPoint: bufferBytes[0] ?? 0,
      diskBytesPerPoint: (last.diskBytes - first.diskBytes) / flush.pieces,
      walBytesPerPoint: (last.walBytes - first.walBytes) / flush.pieces,
    },
  }
}
