-- Points at rest: an hour (UTC) of a participant in one row, a column of it an array. An hour is rows of tracking.points or
-- one row here, never both: a late point turns it into rows again before it is stored (ADR 0032).
CREATE TABLE tracking.packed_points (
  user_id    text NOT NULL,
  hour       timestamptz NOT NULL,
  points     integer NOT NULL,
  checkins   integer NOT NULL,
  -- Around all places, a little larger: which rows a search by place has to unpack.
  lat_from   real NOT NULL,
  lat_to     real NOT NULL,
  lng_from   real NOT NULL,
  lng_to     real NOT NULL,
  -- Microseconds of the unit of times: 1000, or 1 where a time has parts of a millisecond.
  unit       integer NOT NULL,
  -- The first time since the hour, in units, then differences; t8: all times since the hour.
  t0         bigint NOT NULL,
  t2         smallint[],
  t4         integer[],
  t8         bigint[],
  -- When they arrived, likewise.
  r0         bigint NOT NULL,
  r4         integer[],
  r8         bigint[],
  -- The first place in units of 1e-7 degrees, then differences; where that is not every digit, the places as they are.
  y0         integer,
  y2         smallint[],
  y4         integer[],
  lat8       double precision[],
  x0         integer,
  x2         smallint[],
  x4         integer[],
  lng8       double precision[],
  -- Accuracy and speed in hundredths, altitude and heading in tenths; where that is not every digit, as they are.
  accuracy2  smallint[],
  accuracy4  real[],
  accuracy8  double precision[],
  speed2     smallint[],
  speed4     real[],
  speed8     double precision[],
  altitude2  smallint[],
  altitude4  real[],
  heading2   smallint[],
  heading4   real[],
  -- Left out where all are track points, have one source, no note, no battery.
  kinds      smallint[],
  sources    text[] NOT NULL,
  source_of  smallint[],
  notes      text[],
  batteries  smallint[],
  PRIMARY KEY (user_id, hour)
) WITH (toast_tuple_target = 256);
--> statement-breakpoint
-- Compressed in the row itself; a part of a row is read with the rest of it.
DO $$
DECLARE field text;
BEGIN
  FOR field IN SELECT attname FROM pg_attribute
    WHERE attrelid = 'tracking.packed_points'::regclass AND attnum > 0 AND attndims > 0
  LOOP
    EXECUTE format('ALTER TABLE tracking.packed_points ALTER COLUMN %I SET STORAGE MAIN', field);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Almost free to write: rows come in the order of hours and, within a slice, of places.
CREATE INDEX packed_points_place ON tracking.packed_points
  USING brin (hour, lat_from, lat_to, lng_from, lng_to) WITH (pages_per_range = 16, autosummarize = on);
--> statement-breakpoint
-- No hour of the shard's participants after it is packed; it moves with the version.
ALTER TABLE tracking.flush_cursors ADD packed_until timestamptz NOT NULL DEFAULT '-infinity';
--> statement-breakpoint
-- Whether a number is the same in four bytes.
CREATE FUNCTION tracking.is_real(number double precision) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN number = 0 OR abs(number) BETWEEN 1e-30 AND 1e30 THEN float8send(number::real) = float8send(number) ELSE false END
$$;
--> statement-breakpoint
-- The points of one hour of one participant, in order, as a row. No digit of any field is lost.
CREATE FUNCTION tracking.pack(given tracking.points[]) RETURNS SETOF tracking.packed_points
LANGUAGE sql STABLE AS $$
WITH point AS (
  SELECT *, date_trunc('hour', recorded_at, 'UTC') AS hour,
         CASE WHEN abs(lat) <= 90 THEN round(lat * 1e7::double precision)::integer END AS y,
         CASE WHEN abs(lng) <= 180 THEN round(lng * 1e7::double precision)::integer END AS x,
         CASE WHEN abs(accuracy) <= 327 THEN round(accuracy * 100)::smallint END AS a,
         CASE WHEN abs(speed) <= 327 THEN round(speed * 100)::smallint END AS s,
         CASE WHEN abs(altitude) <= 3270 THEN round(altitude::double precision * 10)::smallint END AS e,
         CASE WHEN abs(heading) <= 360 THEN round(heading::double precision * 10)::smallint END AS h
    FROM unnest(given) WITH ORDINALITY AS point (user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, heading,
                                                 source, note, received_at, battery, n)
), timed AS (
  SELECT *, round(date_part('epoch', recorded_at - hour) * 1e6::double precision)::bigint AS t,
         round(date_part('epoch', received_at - hour) * 1e6::double precision)::bigint AS r
    FROM point
), fits AS (
  SELECT CASE WHEN bool_and(t % 1000 = 0 AND r % 1000 = 0) THEN 1000 ELSE 1 END AS unit,
         bool_and(y IS NOT NULL AND float8send(y / 1e7::double precision) = float8send(lat)) AS y_fits,
         bool_and(x IS NOT NULL AND float8send(x / 1e7::double precision) = float8send(lng)) AS x_fits,
         bool_and(accuracy IS NULL OR a IS NOT NULL AND float8send(a / 100::double precision) = float8send(accuracy)) AS a_fits,
         bool_and(accuracy IS NULL OR tracking.is_real(accuracy)) AS a_real,
         bool_and(speed IS NULL OR s IS NOT NULL AND float8send(s / 100::double precision) = float8send(speed)) AS s_fits,
         bool_and(speed IS NULL OR tracking.is_real(speed)) AS s_real,
         bool_and(altitude IS NULL OR e IS NOT NULL AND float4send((e / 10::double precision)::real) = float4send(altitude)) AS e_fits,
         bool_and(heading IS NULL OR h IS NOT NULL AND float4send((h / 10::double precision)::real) = float4send(heading)) AS h_fits,
         array_agg(DISTINCT source) AS sources
    FROM timed
), stepped AS (
  SELECT timed.*, array_position(sources, source)::smallint AS from_source, t / unit AS tu, r / unit AS ru,
         t / unit - lag(t / unit, 1, t / unit) OVER w AS dt, r / unit - lag(r / unit, 1, r / unit) OVER w AS dr,
         y::bigint - lag(y, 1, y) OVER w AS dy, x::bigint - lag(x, 1, x) OVER w AS dx
    FROM timed, fits WINDOW w AS (ORDER BY n)
), one AS (
  SELECT min(user_id) AS user_id, min(hour) AS hour, count(*)::integer AS points, count(*) FILTER (WHERE kind = 0)::integer AS checkins,
         least(greatest(min(lat) - 1e-4, -1000), 1000)::real AS lat_from, greatest(least(max(lat) + 1e-4, 1000), -1000)::real AS lat_to,
         least(greatest(min(lng) - 1e-4, -1000), 1000)::real AS lng_from, greatest(least(max(lng) + 1e-4, 1000), -1000)::real AS lng_to,
         array_agg(tu ORDER BY n) AS ts, array_agg(dt ORDER BY n) AS dts, max(abs(dt)) AS t_max,
         array_agg(ru ORDER BY n) AS rs, array_agg(dr ORDER BY n) AS drs, max(abs(dr)) AS r_max,
         array_agg(y ORDER BY n) AS ys, array_agg(dy ORDER BY n) AS dys, max(abs(dy)) AS y_max, array_agg(lat ORDER BY n) AS lats,
         array_agg(x ORDER BY n) AS xs, array_agg(dx ORDER BY n) AS dxs, max(abs(dx)) AS x_max, array_agg(lng ORDER BY n) AS lngs,
         array_agg(a ORDER BY n) AS aa, array_agg(accuracy ORDER BY n) AS accuracies, count(accuracy) > 0 AS a_has,
         array_agg(s ORDER BY n) AS ss, array_agg(speed ORDER BY n) AS speeds, count(speed) > 0 AS s_has,
         array_agg(e ORDER BY n) AS es, array_agg(altitude ORDER BY n) AS altitudes, count(altitude) > 0 AS e_has,
         array_agg(h ORDER BY n) AS hs, array_agg(heading ORDER BY n) AS headings, count(heading) > 0 AS h_has,
         array_agg(kind ORDER BY n) AS kinds, array_agg(from_source ORDER BY n) AS source_of,
         array_agg(note ORDER BY n) AS notes, count(note) > 0 AS n_has,
         array_agg(battery ORDER BY n) AS batteries, count(battery) > 0 AS b_has
    FROM stepped
)
SELECT user_id, hour, points, checkins, lat_from, lat_to, lng_from, lng_to, unit,
       ts[1], CASE WHEN t_max <= 32767 THEN dts::smallint[] END,
       CASE WHEN t_max > 32767 AND t_max <= 2147483647 THEN dts::integer[] END, CASE WHEN t_max > 2147483647 THEN ts END,
       rs[1], CASE WHEN r_max <= 2147483647 THEN drs::integer[] END, CASE WHEN r_max > 2147483647 THEN rs END,
       ys[1], CASE WHEN y_fits AND y_max <= 32767 THEN dys::smallint[] END,
       CASE WHEN y_fits AND y_max > 32767 THEN dys::integer[] END, CASE WHEN NOT y_fits THEN lats END,
       xs[1], CASE WHEN x_fits AND x_max <= 32767 THEN dxs::smallint[] END,
       CASE WHEN x_fits AND x_max > 32767 AND x_max <= 2147483647 THEN dxs::integer[] END,
       CASE WHEN NOT x_fits OR x_max > 2147483647 THEN lngs END,
       CASE WHEN a_has AND a_fits THEN aa END, CASE WHEN a_has AND NOT a_fits AND a_real THEN accuracies::real[] END,
       CASE WHEN a_has AND NOT a_fits AND NOT a_real THEN accuracies END,
       CASE WHEN s_has AND s_fits THEN ss END, CASE WHEN s_has AND NOT s_fits AND s_real THEN speeds::real[] END,
       CASE WHEN s_has AND NOT s_fits AND NOT s_real THEN speeds END,
       CASE WHEN e_has AND e_fits THEN es END, CASE WHEN e_has AND NOT e_fits THEN altitudes END,
       CASE WHEN h_has AND h_fits THEN hs END, CASE WHEN h_has AND NOT h_fits THEN headings END,
       CASE WHEN checkins > 0 THEN kinds END, sources, CASE WHEN cardinality(sources) > 1 THEN source_of END,
       CASE WHEN n_has THEN notes END, CASE WHEN b_has THEN batteries END
  FROM one, fits
$$;
--> statement-breakpoint
-- The points of a row, in order, as they were.
CREATE FUNCTION tracking.unpack(packed tracking.packed_points) RETURNS TABLE (
  recorded_at timestamptz, kind smallint, lat double precision, lng double precision, accuracy double precision,
  speed double precision, altitude real, heading real, source text, note text, received_at timestamptz, battery smallint)
LANGUAGE sql STABLE ROWS 100 AS $$
SELECT packed.hour + coalesce(t8, packed.t0 + sum(t) OVER w) * packed.unit * interval '1 microsecond',
       coalesce(k, 1::smallint),
       coalesce(lat8, (packed.y0 + sum(y) OVER w) / 1e7::double precision),
       coalesce(lng8, (packed.x0 + sum(x) OVER w) / 1e7::double precision),
       coalesce(a2 / 100::double precision, a8), coalesce(s2 / 100::double precision, s8),
       coalesce((e2 / 10::double precision)::real, e4), coalesce((h2 / 10::double precision)::real, h4),
       packed.sources[coalesce(source_of, 1)], note,
       packed.hour + coalesce(r8, packed.r0 + sum(r) OVER w) * packed.unit * interval '1 microsecond', battery
  FROM unnest(coalesce(packed.t2::integer[], packed.t4), packed.t8, packed.kinds,
              coalesce(packed.y2::integer[], packed.y4), packed.lat8, coalesce(packed.x2::integer[], packed.x4), packed.lng8,
              packed.accuracy2, coalesce(packed.accuracy4::double precision[], packed.accuracy8),
              packed.speed2, coalesce(packed.speed4::double precision[], packed.speed8),
              packed.altitude2, packed.altitude4, packed.heading2, packed.heading4, packed.source_of, packed.notes,
              packed.r4, packed.r8, packed.batteries)
    AS point (t, t8, k, y, lat8, x, lng8, a2, a8, s2, s8, e2, e4, h2, h4, source_of, note, r, r8, battery)
WINDOW w AS (ROWS UNBOUNDED PRECEDING)
$$;
--> statement-breakpoint
-- Every stored point that counts, in whichever form. A condition on hour, beside one on recorded_at, spares unpacking others.
CREATE VIEW tracking.all_points AS
SELECT user_id, date_trunc('hour', recorded_at, 'UTC') AS hour, recorded_at, kind, lat, lng, accuracy, speed, altitude,
       heading, source, note, received_at, battery
  FROM tracking.points
UNION ALL
SELECT packed.user_id, packed.hour, point.*
  FROM tracking.packed_points AS packed CROSS JOIN LATERAL tracking.unpack(packed) AS point;
--> statement-breakpoint
-- Check-ins without unpacking: sum them.
CREATE VIEW tracking.stored_checkins AS
SELECT user_id, 1 AS checkins FROM tracking.points WHERE kind = 0
UNION ALL
SELECT user_id, checkins FROM tracking.packed_points WHERE checkins > 0;
--> statement-breakpoint
-- Gives back the indexes of one day whose rows are all packed; false where there is none. A heap without a page is what
-- VACUUM leaves when nobody can see a row of it any more, so no reader with an older snapshot misses anything.
CREATE FUNCTION tracking.free_points_partition() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '200ms' AS $$
DECLARE
  partition regclass;
BEGIN
  SELECT inhrelid INTO partition FROM pg_inherits
   WHERE inhparent = 'tracking.points'::regclass
     AND pg_relation_size(inhrelid) = 0 AND pg_total_relation_size(inhrelid) > 131072
   ORDER BY inhrelid LIMIT 1;
  IF partition IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', partition);
  IF pg_relation_size(partition) > 0 THEN
    RETURN false;
  END IF;
  EXECUTE format('TRUNCATE %s', partition);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;
