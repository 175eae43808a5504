import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { type BoundingBox, boxContains, type Place } from '@palanquin/domain/geo'
import { cellDegrees, cellIndex, cellIndexSql, ROLLUP_LEVEL, ZOOM_MAX } from '@palanquin/domain/grid'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import { packRows } from '../../test/pack-rows.ts'
import { clustersOf } from './latest.ts'
import type { Cluster, ClustersQuery } from './query.ts'
import { storedClusters } from './stored.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CELL = cellDegrees(ROLLUP_LEVEL)
const random = seededRandom(3)
/** A crowd, single places all over the Earth, and places on the edges of cells and at the ends of the Earth. */
const PLACES: Place[] = [
  ...Array.from({ length: 3_000 }, () => ({
    lat: random.between(24.1, 24.13),
    lng: random.between(120.6, 120.65),
  })),
  ...Array.from({ length: 1_000 }, () => ({ lat: random.between(-90, 90), lng: random.between(-180, 180) })),
  ...[-90, -45, 0, 8774 * CELL, 24.1, 90].flatMap((lat) =>
    [-180, -90, 0, 120.6, 43_921 * CELL, 179.9999, 180].map((lng) => ({ lat, lng })),
  ),
]

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await testDatabase()
  db = connectDatabase({
    url: database.url,
    name: 'clusters',
    log: createLog({ service: 'test', level: 'silent' }),
    deadlineMs: TEST_TIMEOUT_MS,
  })
  await db.query("SELECT tracking.ensure_points_partition('2026-05-01')")
  await db.query(
    `INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at)
     SELECT CASE WHEN number % 3 = 0 THEN 'gone' ELSE 'crowd' END, '2026-05-01T00:00:00Z'::timestamptz + number * interval '1 second', 1, lat, lng, 'auto', now()
       FROM json_to_recordset($1::text::json) AS place(number integer, lat double precision, lng double precision)`,
    [JSON.stringify(PLACES.map((place, number) => ({ number, ...place })))],
  )
  await db.query("INSERT INTO engagement.participants (user_id, status) VALUES ('gone', 'withdrawn')")
  await db.query(
    `INSERT INTO tracking.cells (shard, lat_cell, lng_cell, points, sum_lat, sum_lng)
     SELECT extract(second FROM recorded_at)::integer % 16, ${cellIndexSql('lat', ROLLUP_LEVEL)},
            ${cellIndexSql('lng', ROLLUP_LEVEL)}, count(*), sum(lat), sum(lng) FROM tracking.points GROUP BY 1, 2, 3`,
  )
  // An hour of two is packed: clusters are counted from both forms.
  await packRows(db, "recorded_at < '2026-05-01T01:00:00Z'")
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const stored = async (query: ClustersQuery): Promise<Cluster[]> => {
  const clusters: Cluster[] = []
  for await (const part of storedClusters(db, query)) clusters.push(...part)
  return clusters
}

/** By cell, to seven decimals. */
const byCell = (clusters: readonly Cluster[], zoom: number) =>
  Object.fromEntries(
    clusters
      .map(({ lat, lng, count }): [string, string] => [
        `${cellIndex(lat, zoom)} ${cellIndex(lng, zoom)}`,
        `${count} ${lat.toFixed(7)} ${lng.toFixed(7)}`,
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const edge = (min: number, max: number) =>
  fc.oneof(
    fc.double({ min, max, noNaN: true }),
    fc.constantFrom(...PLACES.flatMap(({ lat, lng }) => [lat, lng])).filter((x) => x >= min && x <= max),
    fc.constantFrom(min, 0, max),
  )
const near = (from: number, by: number) => fc.double({ min: from - by, max: from + by, noNaN: true })
const box = fc.oneof(
  fc.record({ west: edge(-180, 180), south: edge(-90, 90), east: edge(-180, 180), north: edge(-90, 90) }),
  fc.record({
    west: near(120.62, 0.03),
    south: near(24.11, 0.02),
    east: near(120.62, 0.03),
    north: near(24.12, 0.02),
  }),
)

test('the counts add up to the points in the box at every zoom, as counting them one by one does', async () => {
  await fc.assert(
    fc.asyncProperty(box, fc.integer({ min: 0, max: ZOOM_MAX }), async ({ south, north, ...rest }, zoom) => {
      const given: BoundingBox = { ...rest, south: Math.min(south, north), north: Math.max(south, north) }
      const query = { box: given, zoom, isCoarse: false }
      const inside = PLACES.filter(({ lat, lng }) => boxContains(given, lat, lng))
      const found = await stored(query)
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length)
      expect(byCell(found, zoom)).toEqual(byCell(clustersOf(inside, query), zoom))
    }),
    { seed: 20260505, numRuns: 300 },
  )
})

test('a volunteer sees the centres of cells without the withdrawn, in latest and in all points alike', async () => {
  const remaining = PLACES.filter((_, number) => number % 3 !== 0)
  await fc.assert(
    fc.asyncProperty(box, fc.integer({ min: 0, max: 14 }), async ({ south, north, ...rest }, zoom) => {
      const given: BoundingBox = { ...rest, south: Math.min(south, north), north: Math.max(south, north) }
      const query = { box: given, zoom, isCoarse: true }
      const inside = remaining.filter(({ lat, lng }) => boxContains(given, lat, lng))
      const found = await stored(query)
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length)
      const cell = cellDegrees(zoom)
      for (const { lat, lng } of found)
        for (const [degrees, end] of [
          [lat, 90],
          [lng, 180],
        ] as const)
          expect(degrees === end || (degrees / cell - 0.5) % 1 === 0).toBe(true)
      expect(byCell(found, zoom)).toEqual(byCell(clustersOf(inside, query), zoom))
    }),
    { seed: 20260506, numRuns: 200 },
  )
})

test('a finer zoom than the rollup comes in parts that have every cluster once', async () => {
  const parts: Cluster[][] = []
  for await (const part of storedClusters(
    db,
    { box: { west: -180, south: -90, east: 180, north: 90 }, zoom: ZOOM_MAX, isCoarse: false },
    { clustersPerPart: 200 },
  ))
    parts.push(part)
  expect(parts.length).toBeGreaterThan(15)
  expect(parts.flat().reduce((sum, { count }) => sum + count, 0)).toBe(PLACES.length)
  expect(parts.flat()).toHaveLength(
    clustersOf(PLACES, {
      box: { west: -180, south: -90, east: 180, north: 90 },
      zoom: ZOOM_MAX,
      isCoarse: false,
    }).length,
  )
})
