import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, type Figure, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { userIdOf } from '../load/requests.ts'
import { countStored } from '../measure/count-stored.ts'
import { costNote, measureRound, type RoundResults, SETTLE_MS, throughputOf } from '../measure/rounds.ts'
import { usedByStack } from '../measure/server-cpu.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { type Copier, copier } from './postgres-copy.ts'

/** The content of a flush: points per sync and number of syncs. */
const SIZES = [
  { points: 100, syncs: 2_000, wanted: 0.6 },
  { points: 60, syncs: 3_000 },
  { points: 20, syncs: 6_000, wanted: 0.45 },
  { points: 2, syncs: 20_000, wanted: 0.3 },
] as const
type Size = { points: number; syncs: number; wanted?: number }
const QUICK_PART = 100

/** The whole flush (decode, filter, distance, rollups, store, cursor) against COPY of the rows that it stored. */
export const flush: Benchmark = {
  name: 'flush',
  question:
    'points/s of a flush: read, decode, judge, add up, store, move the cursor; against COPY of the same rows into the same table',
  better: 'more',
  wanted: SIZES[0].wanted,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const copy = copier(stack.running().databaseUrl)
    try {
      let first = 0
      let points = 0
      const figures: Figure[] = []
      for (const size of SIZES) {
        const sized: Size = quick ? { ...size, syncs: size.syncs / QUICK_PART } : size
        figures.push(await flushesOf(stack, { copy, size: sized, first, log }))
        first += (ROUNDS + 1) * sized.syncs
        points += 2 * (ROUNDS + 1) * sized.syncs * sized.points
      }
      const stored = await countStored(stack, points, { people: 2 * first })
      const [most, ...also] = figures
      if (!most) throw new Error('no flush was measured')
      return {
        ...most,
        notes: [...most.notes, `all ${stored} points are in PostgreSQL, those that were copied too`],
        also,
      }
    } finally {
      copy.close()
      await stack.close()
    }
  },
}

async function flushesOf(
  stack: ThrowawayStack,
  { copy, size, first, log }: { copy: Copier; size: Size; first: number; log: (line: string) => void },
): Promise<Figure> {
  const { points, syncs, wanted } = size
  const turns: RoundResults = { ours: [], yardstick: [] }
  const used = usedByStack(stack)
  for (let round = 0; round <= ROUNDS; round++) {
    const from = first + round * syncs
    await syncPoints(stack, { first: from, syncs, points })
    await Bun.sleep(SETTLE_MS)
    const ours = await measureRound({ drive: () => flushAll(stack, syncs * points), used })
    await copy.unload(copiesOf(from, syncs))
    const yardstick = await measureRound({
      drive: async () => ({
        sent: syncs * points,
        perSecond: ((syncs * points) / (await copy.load('tracking.points'))) * 1_000,
      }),
      used,
    })
    if (round === 0) continue // partitions are made and caches filled
    turns.ours.push(ours)
    turns.yardstick.push(yardstick)
    log(`syncs of ${points}, round ${round} of ${ROUNDS}: ${Math.round(ours.perSecond)} points/s`)
  }
  return {
    name: `flush, syncs of ${points} points`,
    better: 'more',
    ...(wanted === undefined ? {} : { wanted }),
    ...throughputOf(turns, { unit: 'points/s' }),
    notes: [
      `${(syncs * points).toLocaleString('en-US')} points of ${syncs.toLocaleString('en-US')} participants a flush, by ${copy.by}`,
      costNote(turns, 'a point'),
    ],
  }
}

async function flushAll({ api }: Pick<ThrowawayStack, 'api'>, points: number) {
  const { flushed, tookMs } = await api.flush()
  if (flushed !== points) throw new Error(`${points} points were synced and ${flushed} flushed`)
  return { sent: flushed, tookMs, perSecond: (flushed / tookMs) * 1_000 }
}

async function syncPoints(
  { running }: Pick<ThrowawayStack, 'running'>,
  { first, syncs, points }: { first: number; syncs: number; points: number },
): Promise<void> {
  const { url, caFile } = running()
  const plan = { url: `${url}/api/event/track/sync`, caFile, kind: 'sync', connections: 8 } as const
  await load({ ...plan, forMs: Number.MAX_SAFE_INTEGER, requests: syncs, points, first }, 200)
}

/** The same rows with other participants. */
function copiesOf(first: number, participants: number): string {
  const ids = Array.from({ length: participants }, (_, n) => `'${userIdOf(first + n)}'`)
  return `SELECT 'V' || substr(user_id, 2), recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery
     FROM tracking.points WHERE user_id IN (${ids.join(',')})`
}
