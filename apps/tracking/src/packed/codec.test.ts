import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import postgres from 'postgres'

setDefaultTimeout(TEST_TIMEOUT_MS)
const HOUR = Date.UTC(2026, 3, 17, 5)
const MICROSECONDS = 3_600_000_000

let database: TestDatabase
let sql: postgres.Sql
beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql`SELECT tracking.ensure_points_partition('2026-04-17')`
})
afterAll(async () => {
  await sql.end()
  await database.close()
})

/** A number with so many decimals, or any there is. */
const decimal = (min: number, max: number, digits: number) =>
  fc
    .integer({ min: Math.ceil(min * 10 ** digits), max: Math.floor(max * 10 ** digits) })
    .map((n) => n / 10 ** digits)
const anyNumber = (min: number, max: number) =>
  fc.oneof(
    fc.double({ min, max, noNaN: true }).map((n) => (Math.abs(n) < 1e-30 ? 0 : n)),
    fc.constantFrom(min, max, 0),
  )
const series = (min: number, max: number, digits: number) => [
  decimal(min, max, digits),
  anyNumber(min, max),
  fc
    .float({ min: Math.fround(min), max: Math.fround(max), noNaN: true })
    .map((n) => (Math.abs(n) < 1e-30 ? 0 : n)),
]
/** Most hours hold one kind of number; some hold all. */
const measured = (min: number, max: number, digits: number) => {
  const each = series(min, max, digits)
  return fc.oneof(
    ...each.map((one) => fc.constant(fc.option(one))),
    fc.constant(fc.option(fc.oneof(...each))),
    fc.constant(fc.constant(null)),
  )
}
const placed = (max: number) =>
  fc.oneof(
    ...series(-max, max, 7)
      .slice(0, 2)
      .map((one) => fc.constant(one)),
  )

const hourOfPoints = fc
  .record({
    times: fc.oneof(
      fc.uniqueArray(
        fc.integer({ min: 0, max: 3_599_999 }).map((ms) => ms * 1000),
        { minLength: 1, maxLength: 40 },
      ),
      fc.uniqueArray(fc.integer({ min: 0, max: MICROSECONDS - 1 }), { minLength: 1, maxLength: 40 }),
      fc
        .integer({ min: 1, max: 40 })
        .map((n) => Array.from({ length: n }, (_, i) => i * 10_000_000 + (i % 7) * 1000)),
    ),
    lat: placed(90),
    lng: placed(180),
    accuracy: measured(0, 40_100_000, 2),
    speed: measured(0, 1_100_000, 2),
    altitude: measured(-12_000, 1_000_000, 1),
    heading: measured(0, 360, 1),
  })
  .chain(({ times, lat, lng, ...measures }) =>
    fc.tuple(
      ...times.map((us) =>
        fc.record({
          us: fc.constant(us),
          kind: fc.constantFrom(0, 1, 1, 1),
          lat,
          lng,
          ...measures,
          source: fc.oneof(
            { weight: 5, arbitrary: fc.constant('android') },
            { weight: 1, arbitrary: fc.constantFrom('ios', 'auto', '') },
          ),
          note: fc.option(
            fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\u0000', '')),
            { freq: 10 },
          ),
          received: fc.oneof(fc.constant(60_000), fc.integer({ min: -300_000, max: 31 * 86_400_000 })),
          battery: fc.option(fc.integer({ min: 0, max: 100 })),
        }),
      ),
    ),
  )

const FIELDS =
  'recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery'

/** Packs what the table holds, and what comes out of it that did not go in, or the other way round; compared as text, in which every digit is. */
const DIFFERENCE = `
WITH packed AS (
  SELECT tracking.pack(array_agg(point ORDER BY recorded_at, kind)) AS packed FROM tracking.points AS point
), before AS (
  SELECT row_number() OVER (ORDER BY recorded_at, kind) AS n, ROW(${FIELDS})::text AS point FROM tracking.points
), after AS (
  SELECT n, ROW(${FIELDS})::text AS point
    FROM packed CROSS JOIN LATERAL tracking.unpack(packed.packed) WITH ORDINALITY AS u(${FIELDS}, n)
)
SELECT before.point AS before, after.point AS after
  FROM before FULL JOIN after USING (n) WHERE before.point IS DISTINCT FROM after.point`

test('an hour of points comes out of its row as it went in, to the last digit', async () => {
  await fc.assert(
    fc.asyncProperty(hourOfPoints, async (points) => {
      await sql`TRUNCATE tracking.points`
      await sql`
        INSERT INTO tracking.points
        SELECT 'pilgrim', to_timestamp(${HOUR / 1000}) + us * interval '1 microsecond', kind, lat, lng, accuracy, speed,
               altitude, heading, source, note, to_timestamp(${HOUR / 1000}) + received * interval '1 millisecond', battery
          FROM json_to_recordset(${JSON.stringify(points)}::text::json) AS p(us bigint, kind smallint, lat double precision,
            lng double precision, accuracy double precision, speed double precision, altitude real, heading real, source text,
            note text, received bigint, battery smallint)`
      expect([...(await sql.unsafe(DIFFERENCE))]).toEqual([])
    }),
    { seed: 19, numRuns: 200 },
  )
})

test('a place that is no number, or out of bounds, comes out as it went in', async () => {
  await sql`TRUNCATE tracking.points`
  await sql`
    INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, accuracy, speed, source, received_at)
    VALUES ('odd', '2026-04-17T05:00:00Z', 1, 'NaN', 1e300, 'infinity', 1e-300, 'x', '2026-04-17T05:00:00Z'),
           ('odd', '2026-04-17T05:00:00.000001Z', 1, '-0', '-infinity', 'NaN', -1e300, 'x', '1990-04-17T05:00:00Z'),
           ('odd', '2026-04-17T05:59:59.999999Z', 0, 24.5, 120.7, 8, 4.5, 'x', '2190-04-17T05:00:00.000007Z')`
  expect([...(await sql.unsafe(DIFFERENCE))]).toEqual([])
})
