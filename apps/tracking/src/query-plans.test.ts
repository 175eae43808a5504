import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database, type Parameter } from '@palanquin/db/client'
import type { BoundingBox } from '@palanquin/domain/geo'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { SAMPLE, storeSampleData } from '@palanquin/testing/sample-data'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { edgesOf } from './clusters/edges.ts'
import { coarseClusters, fineClusters, partsOfFineClusters } from './clusters/statements.ts'
import { storedClusters } from './clusters/stored.ts'
import { READ_PAGE as READ_TRACK_PAGE } from './flush/rebuild/statements.ts'
import { readTrackPage } from './tracks/store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await testDatabase()
  await storeSampleData(database.url)
  db = connectDatabase({
    url: database.url,
    name: 'plans',
    log: createLog({ service: 'test', level: 'silent' }),
  })
})
afterAll(async () => {
  await db.close()
  await database.close()
})

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: Plan[] }

/** Every node of the plan that PostgreSQL makes for a statement. */
async function planOf(statement: string, parameters: readonly Parameter[]): Promise<Plan[]> {
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON) ${statement}`,
    parameters,
  )
  const below = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(below)]
  return row ? below(row['QUERY PLAN'][0].Plan) : []
}

/** Days of points that a plan reads from end to end. */
const daysReadWhole = (plan: readonly Plan[]): string[] =>
  plan.flatMap((node) =>
    node['Node Type'].includes('Seq Scan') && node['Relation Name']?.startsWith('points_')
      ? [node['Relation Name']]
      : [],
  )
const reads = (plan: readonly Plan[], relation: string): boolean =>
  plan.some((node) => node['Relation Name'] === relation)
const within = ({ west, south, east, north }: BoundingBox) => [west, south, east, north]

const REGION: BoundingBox = { west: 120.3, south: 23.9, east: 120.7, north: 24.2 }
const TOWN: BoundingBox = { west: 120.49, south: 24.02, east: 120.52, north: 24.05 }
const EARTH: BoundingBox = { west: -180, south: -90, east: 180, north: 90 }

test('clusters up to the zoom of the rollup read the rollup, and of the points only blocks near the edges', async () => {
  for (const box of [REGION, TOWN]) {
    const { cells, reach } = edgesOf(box)
    const plan = await planOf(coarseClusters(box, 12), [...within(box), ...within(cells), ...within(reach)])
    expect(reads(plan, 'cells')).toBe(true)
    expect(daysReadWhole(plan)).toEqual([])
    expect(plan.some((node) => node['Index Name']?.includes('lat_lng'))).toBe(true)
  }
})

test('clusters of a town at a fine zoom read the blocks of that town, by the index over places', async () => {
  const patch = [-90, 90, -180, 180]
  const plan = await planOf(fineClusters(TOWN, 18), [...within(TOWN), ...patch])
  expect(daysReadWhole(plan)).toEqual([])
  expect(plan.some((node) => node['Index Name']?.includes('lat_lng'))).toBe(true)
  const parts = await planOf(partsOfFineClusters(TOWN), [...within(edgesOf(TOWN).cells), 64, 50_000])
  expect(reads(parts, 'cells')).toBe(true)
  expect(parts.some((node) => node['Relation Name']?.startsWith('points'))).toBe(false)
})

test('a page of a participant’s points is read by the primary key', async () => {
  const at = new Date(SAMPLE.startMs + 86_400_000).toISOString()
  const pages = [
    await planOf(readTrackPage('points'), [SAMPLE.firstUserId, '-infinity', 'infinity', -1, 5_000]),
    await planOf(readTrackPage('points'), [SAMPLE.firstUserId, at, 'infinity', 1, 5_000]),
    await planOf(READ_TRACK_PAGE, [SAMPLE.firstUserId, '-infinity', 'infinity', 0, 10_000]),
  ]
  for (const plan of pages) {
    expect(daysReadWhole(plan)).toEqual([])
    expect(plan.some((node) => node['Index Name']?.endsWith('_pkey'))).toBe(true)
  }
})

test('a million points add up at every zoom', async () => {
  for (const zoom of [0, 7, 12, 15, 16, 18]) {
    let count = 0
    for await (const part of storedClusters(db, { box: EARTH, zoom, isCoarse: false }))
      for (const cluster of part) count += cluster.count
    expect({ zoom, count }).toEqual({ zoom, count: SAMPLE.points })
  }
})
