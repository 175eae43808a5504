import { setOut, type ThrowawayStack } from '../src/throwaway-stack.ts'
import { type Benchmark, ROUNDS } from './benchmark.ts'
import { copier } from './copy.ts'
import { countStored } from './counted.ts'
import { load } from './load/load.ts'
import { SYNC_POINTS, walkerOf } from './load/requests.ts'
import { NO_FLUSH } from './settings.ts'

const SYNCS = 2_000
const QUICK_SYNCS = 20

/** The whole flush (decode, filter, distance, rollups, store, cursor) against COPY of the rows that it stored. */
export const flush: Benchmark = {
  name: 'flush',
  question:
    'points/s of a flush: read, decode, judge, add up, store, move the cursor; against COPY of the same rows into the same table',
  better: 'more',
  wanted: 0.35,
  run: async (say, { quick }) => {
    const stack = await setOut(NO_FLUSH)
    const copy = copier(stack.running().databaseUrl)
    try {
      const syncs = quick ? QUICK_SYNCS : SYNCS
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      for (let round = 0; round <= ROUNDS; round++) {
        const flushed = await flushOf(stack, { first: round * syncs, syncs })
        await copy.unload(copiesOf(round * syncs, syncs))
        const tookMs = await copy.load('tracking.points')
        if (round === 0) continue // partitions are made and caches filled
        measured.ours.push((flushed.points / flushed.tookMs) * 1_000)
        measured.yardstick.push((flushed.points / tookMs) * 1_000)
        say(`round ${round} of ${ROUNDS}: ${Math.round(measured.ours.at(-1) ?? 0)} points/s`)
      }
      const stored = await countStored(stack, 2 * (ROUNDS + 1) * syncs * SYNC_POINTS)
      return {
        unit: 'points/s',
        ...measured,
        notes: [
          `${(syncs * SYNC_POINTS).toLocaleString('en-US')} points of ${syncs} walkers a flush, by ${copy.by}`,
          `all ${stored} points are in PostgreSQL, those that were copied too`,
        ],
      }
    } finally {
      copy.close()
      await stack.close()
    }
  },
}

/** Syncs points of so many walkers and flushes them; how many points, and the milliseconds of the flush. */
export async function flushOf(
  { api, running }: Pick<ThrowawayStack, 'api' | 'running'>,
  { first, syncs }: { first: number; syncs: number },
): Promise<{ points: number; tookMs: number }> {
  const { url, caFile } = running()
  const plan = { url: `${url}/api/event/track/sync`, caFile, kind: 'sync', connections: 8 } as const
  await load({ ...plan, forMs: 600_000, requests: syncs, first }, 200)
  const { flushed, tookMs } = await api.flush()
  if (flushed !== syncs * SYNC_POINTS)
    throw new Error(`${syncs * SYNC_POINTS} points were synced and ${flushed} flushed`)
  return { points: flushed, tookMs }
}

/** The rows of those walkers, as if of others. */
export function copiesOf(first: number, walkers: number): string {
  const ids = Array.from({ length: walkers }, (_, n) => `'${walkerOf(first + n)}'`)
  return `SELECT 'V' || substr(user_id, 2), recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at
     FROM tracking.points WHERE user_id IN (${ids.join(',')})`
}
