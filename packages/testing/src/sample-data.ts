import { cellIndexSql, ROLLUP_LEVEL } from '@palanquin/domain/grid'
import postgres from 'postgres'

/** A million points, as a procession of nine days leaves them. */
export const SAMPLE = {
  points: 1_000_000,
  participants: 2_000,
  /** The first participant; they are numbered up to `crowd-01999`. */
  firstUserId: 'crowd-00000',
  startMs: Date.UTC(2026, 3, 16, 22),
  days: 9,
  /** Where the way begins and ends; the crowd stretches over some kilometres of it. */
  from: { lat: 24.49, lng: 120.68 },
  to: { lat: 23.57, lng: 120.3 },
} as const

const STEPS = SAMPLE.points / SAMPLE.participants
/** A fix every ten minutes, some nine hours a day. */
const STEPS_A_DAY = Math.ceil(STEPS / SAMPLE.days)
const STEP = '10 minutes'
const BEGAN = `to_timestamp(${SAMPLE.startMs / 1000})`
/** A participant is up to this share of the way before or behind the middle of the crowd. */
const STRETCH = 0.02

const PLACED = `
SELECT 'crowd-' || to_char(u, 'FM00000') AS user_id, u, s,
       ${BEGAN} + (s / ${STEPS_A_DAY}) * interval '1 day'
         + (s % ${STEPS_A_DAY}) * interval '${STEP}' + u * interval '1 millisecond' AS recorded_at,
       greatest(0, least(1, s / ${STEPS}.0 + (hashint4(u) % 1000) / 1000.0 * ${STRETCH}))::double precision AS along,
       (hashint4(u * 7919 + s) % 1000)::double precision / 1e6 AS aside
  FROM generate_series(0, ${STEPS - 1}) AS s, generate_series(0, ${SAMPLE.participants - 1}) AS u`

/** The order in which a flush stores: by time, and who walks near each other next to each other. */
const POINTS = `
INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, accuracy, speed, source, received_at)
SELECT user_id, recorded_at, (s % 50 <> 0)::integer,
       ${SAMPLE.from.lat} + along * (${SAMPLE.to.lat - SAMPLE.from.lat}) + aside,
       ${SAMPLE.from.lng} + along * (${SAMPLE.to.lng - SAMPLE.from.lng}) - aside, 8, 4.5, 'auto', recorded_at
  FROM (${PLACED}) AS placed ORDER BY s / 3, along, u, s`

/** What the flush keeps beside them. */
const REST = [
  `INSERT INTO engagement.participants (user_id, display_name, consent)
   SELECT 'crowd-' || to_char(u, 'FM00000'), 'Participant ' || u, true
     FROM generate_series(0, ${SAMPLE.participants - 1}) AS u`,
  `INSERT INTO tracking.participant_hours (user_id, hour, day, points, checkins, walked_km, motorized_km)
   SELECT 'crowd-' || to_char(u, 'FM00000'), hour, (hour AT TIME ZONE 'Asia/Taipei')::date, points, checkins,
          points * 0.63, points * 0.07
     FROM generate_series(0, ${SAMPLE.participants - 1}) AS u, (
       SELECT date_trunc('hour', ${BEGAN} + (s / ${STEPS_A_DAY}) * interval '1 day'
                + (s % ${STEPS_A_DAY}) * interval '${STEP}', 'Asia/Taipei') AS hour,
              count(*) AS points, count(*) FILTER (WHERE s % 50 = 0) AS checkins
         FROM generate_series(0, ${STEPS - 1}) AS s GROUP BY 1) AS hours`,
  `INSERT INTO tracking.hours (shard, hour, points, checkins, walked_km, motorized_km, active)
   SELECT abs(hashtext(user_id)) % 16, hour, sum(points), sum(checkins), sum(walked_km), sum(motorized_km), count(*)
     FROM tracking.participant_hours GROUP BY 1, 2`,
  `INSERT INTO tracking.days (shard, day, active)
   SELECT abs(hashtext(user_id)) % 16, day, count(DISTINCT user_id) FROM tracking.participant_hours GROUP BY 1, 2`,
  `INSERT INTO tracking.cells (shard, lat_cell, lng_cell, points, sum_lat, sum_lng)
   SELECT abs(hashtext(user_id)) % 16, ${cellIndexSql('lat', ROLLUP_LEVEL)}, ${cellIndexSql('lng', ROLLUP_LEVEL)},
          count(*), sum(lat), sum(lng)
     FROM tracking.points GROUP BY 1, 2, 3`,
  `INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, points, checkins, state, last_lat,
          last_lng, last_at, moved_id, last_seen_at)
   SELECT user_id, abs(hashtext(user_id)) % 16, 1, walked_km, motorized_km, points, checkins, '{}', lat, lng,
          recorded_at, '1-0', recorded_at
     FROM (SELECT user_id, sum(walked_km) AS walked_km, sum(motorized_km) AS motorized_km, sum(points) AS points,
                  sum(checkins) AS checkins FROM tracking.participant_hours GROUP BY 1) AS sums
          JOIN (SELECT DISTINCT ON (user_id) user_id, lat, lng, recorded_at FROM tracking.points
                 WHERE recorded_at >= ${BEGAN} + interval '${SAMPLE.days - 1} days'
                 ORDER BY user_id, recorded_at DESC) AS latest USING (user_id)`,
  'ANALYZE tracking.points, tracking.cells, tracking.tracks, tracking.hours, tracking.participant_hours, engagement.participants',
]

/** Fills a migrated, empty database with `CROWD`. */
export async function storeSampleData(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe("SET work_mem = '64MB'; SET maintenance_work_mem = '128MB'")
    await sql.unsafe(
      `SELECT tracking.ensure_points_partition(day::date)
         FROM generate_series(${BEGAN}, ${BEGAN} + interval '${SAMPLE.days} days', '1 day') AS day`,
    )
    await withoutIndexes(sql, () => sql.unsafe(POINTS))
    for (const statement of REST) await sql.unsafe(statement)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** An index that is made over a million rows takes a tenth of the time of one that grows row by row. */
async function withoutIndexes(sql: postgres.Sql, work: () => Promise<unknown>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'tracking.points'::regclass AND NOT indisprimary`
  const [key] = await sql<{ name: string; definition: string }[]>`
    SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = 'tracking.points'::regclass AND contype = 'p'`
  if (!key) throw new Error('tracking.points has no primary key')
  for (const { name } of indexes) await sql.unsafe(`DROP INDEX ${name}`)
  await sql.unsafe(`ALTER TABLE tracking.points DROP CONSTRAINT ${key.name}`)
  await work()
  await sql.unsafe(`ALTER TABLE tracking.points ADD CONSTRAINT ${key.name} ${key.definition}`)
  for (const { definition } of indexes) await sql.unsafe(definition.replace(' ON ONLY ', ' ON '))
}
