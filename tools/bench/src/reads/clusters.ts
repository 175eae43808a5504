import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { SAMPLE, storeSampleData } from '@palanquin/testing/sample-data'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'

const REPEATS = 10
/** All points on a map of that part of the island: a cell is some 2 km, 64 pixels wide. */
const TYPICAL = { west: 120.2, south: 23.5, east: 120.75, north: 24.6, zoom: 12 }
/** A third of them, finer than the rollup: every point is read. */
const FINE = { west: 120.3, south: 23.9, east: 120.7, north: 24.2, zoom: 17 }
/** A town, equally fine. */
const TOWN = { west: 120.49, south: 24.02, east: 120.52, north: 24.06, zoom: 17 }

type View = typeof TYPICAL

/** A million stored points as clusters through the gateway, against PostgreSQL counting the same points. */
export const clusters: Benchmark = {
  name: 'clusters',
  question: `clusters of ${SAMPLE.points.toLocaleString('en-US')} stored points through the gateway, against count(*) of the same`,
  better: 'less',
  wanted: 1.2,
  run: async (log) => {
    const stack = await startThrowawayStack({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' })
    try {
      log('storing a million points …')
      await storeSampleData(stack.running().databaseUrl)
      const views = { typical: TYPICAL, fine: FINE, town: TOWN }
      const ours = { typical: [] as number[], fine: [] as number[], town: [] as number[] }
      const counting = { typical: [] as number[], fine: [] as number[], town: [] as number[] }
      for (const view of Object.values(views)) await compare(stack, view) // both are warm before the measurement
      for (let round = 1; round <= ROUNDS; round++) {
        for (const name of ['typical', 'fine', 'town'] as const) {
          counting[name].push(await msOf(() => countOf(stack, views[name])))
          ours[name].push(await msOf(() => clusteredOf(stack, views[name])))
        }
        log(`round ${round} of ${ROUNDS}: ${ours.typical.at(-1)?.toFixed(1)} ms`)
      }
      const note = (name: 'fine' | 'town', what: string) =>
        `${what}: ${median(ours[name]).toFixed(1)} ms, ${(median(ours[name]) / median(counting[name])).toFixed(2)} × count(*)`
      return {
        unit: 'ms',
        ours: ours.typical,
        yardstick: counting.typical,
        notes: [
          `all ${SAMPLE.points.toLocaleString('en-US')} points in the box, zoom ${TYPICAL.zoom}, TLS and JSON included`,
          note('fine', 'zoom 17 over a third of the points, each of them read'),
          note('town', 'zoom 17 over a town'),
          'the counts add up',
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  for (let i = 0; i < REPEATS; i++) await work()
  return (performance.now() - startedMs) / REPEATS
}

async function compare(stack: ThrowawayStack, view: View): Promise<void> {
  const [counted, clustered] = [await countOf(stack, view), await clusteredOf(stack, view)]
  if (counted !== clustered)
    throw new Error(`${counted} points are in the box, and ${clustered} in the clusters`)
}

async function countOf({ sql }: ThrowawayStack, { west, south, east, north }: View): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::int AS points FROM tracking.all_points
     WHERE lat BETWEEN ${south} AND ${north} AND lng BETWEEN ${west} AND ${east}`
  return Number(row?.points)
}

async function clusteredOf(stack: ThrowawayStack, { west, south, east, north, zoom }: View): Promise<number> {
  const { url, caFile, tokens } = stack.running()
  const bbox = [west, south, east, north].join(',')
  const answer = await fetch(`${url}/api/event/admin/clusters?of=all&zoom=${zoom}&bbox=${bbox}`, {
    headers: { 'x-admin-token': tokens.volunteer },
    tls: { ca: Bun.file(caFile) },
  })
  const { data } = (await answer.json()) as { data: { clusters: { count: number }[] } }
  return data.clusters.reduce((sum, { count }) => sum + count, 0)
}
