import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { ask, type MeasuredStage, perSecond } from './ask.ts'
import type { Driver } from './drive.ts'
import { type Processors, type Stage, sumStages } from './processors.ts'
import { FIX_EVERY_MS, type Sample, syncsOf } from './requests.ts'
import { sizesOf } from './stores.ts'

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
