import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import Type, { type Static } from 'typebox'

/** An hour or a day of the event, summed over all participants. Kilometres unrounded. */
const BucketRow = Type.Object({
  start: Timestamp,
  checkins: Type.Integer(),
  points: Type.Integer(),
  activeUsers: Type.Integer(),
  distanceKm: Type.Number(),
})
export type BucketRow = Static<typeof BucketRow>

const EventRow = Type.Object({
  at: Timestamp,
  type: Type.String(),
  by: Type.String(),
  detail: Type.Record(Type.String(), Type.Unknown()),
})
export type EventRow = Static<typeof EventRow>

/** Null: unbounded. `toIso` is exclusive. */
export type Range = { fromIso: string | null; toIso: string | null }

const SUMS = `sum(points)::bigint AS points, sum(checkins)::bigint AS checkins, sum(walked_km + motorized_km) AS km`

/** Whole hours that the range touches, from the first to the last with data. $3: the time zone. */
const HOURS = `
WITH found AS (
  SELECT hour AS start, ${SUMS}, sum(active)::bigint AS active FROM tracking.hours
  WHERE hour >= coalesce(date_trunc('hour', $1::text::timestamptz, $3), '-infinity')
    AND hour < coalesce($2::text::timestamptz, 'infinity')
  GROUP BY hour
), line AS (
  SELECT generate_series(min(start), max(start), interval '1 hour') AS start FROM found
)`

const DAYS = `
WITH hours AS (
  SELECT (hour AT TIME ZONE $3)::date AS day, ${SUMS} FROM tracking.hours
  WHERE hour >= coalesce(date_trunc('day', $1::text::timestamptz, $3), '-infinity')
    AND hour < coalesce(
      (date_trunc('day', ($2::text::timestamptz - interval '1 microsecond') AT TIME ZONE $3) + interval '1 day') AT TIME ZONE $3,
      'infinity')
  GROUP BY 1
), found AS (
  SELECT hours.day::timestamp AT TIME ZONE $3 AS start, points, checkins, km,
    (SELECT sum(active)::bigint FROM tracking.days WHERE days.day = hours.day) AS active
  FROM hours
), line AS (
  SELECT generate_series(min(day)::timestamp, max(day)::timestamp, interval '1 day') AT TIME ZONE $3 AS start FROM hours
)`

/** The latest \`$4\` of them; in order. */
const reading = (buckets: string) => `${buckets}, latest AS (
  SELECT line.start, coalesce(points, 0) AS points, coalesce(checkins, 0) AS checkins,
    coalesce(active, 0) AS "activeUsers", coalesce(km, 0) AS "distanceKm"
  FROM line LEFT JOIN found USING (start) ORDER BY line.start DESC LIMIT $4
)
SELECT * FROM latest ORDER BY start`

const BUCKETS = { hour: reading(HOURS), day: reading(DAYS) } as const
type BucketSize = keyof typeof BUCKETS

const EVENTS = `
SELECT at, type, by, detail FROM (
  SELECT id, at, type, by, detail FROM engagement.audit
  WHERE at >= coalesce($1::text::timestamptz, '-infinity') AND at < coalesce($2::text::timestamptz, 'infinity')
  ORDER BY at DESC, id DESC LIMIT $3
) AS latest ORDER BY at, id`

/** The latest `count` buckets of the range, in order, zeros included. @throws StoreUnavailable */
export const readBuckets = (
  db: Database,
  {
    fromIso,
    toIso,
    bucket,
    timeZone,
    count,
  }: Range & { bucket: BucketSize; timeZone: string; count: number },
): Promise<BucketRow[]> => db.queryAs(BucketRow, BUCKETS[bucket], [fromIso, toIso, timeZone, count])

/** The latest `count` audit entries of the range, in order. @throws StoreUnavailable */
export const readEvents = (
  db: Database,
  { fromIso, toIso, count }: Range & { count: number },
): Promise<EventRow[]> => db.queryAs(EventRow, EVENTS, [fromIso, toIso, count])
