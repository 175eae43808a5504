-- Rollups of the points, kept by the flush in the statement that stores them: what timelines, carbon by day and grid
-- clusters are read from, however many points there are.
CREATE TABLE tracking.participant_hours (
  user_id      text NOT NULL,
  hour         timestamptz NOT NULL,
  day          date NOT NULL,
  points       integer NOT NULL DEFAULT 0,
  checkins     integer NOT NULL DEFAULT 0,
  walked_km    double precision NOT NULL DEFAULT 0,
  motorized_km double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, hour)
) WITH (fillfactor = 80);
--> statement-breakpoint
COMMENT ON TABLE tracking.participant_hours IS 'hour and day: those of EVENT_TIMEZONE; a segment belongs to the hour in which it ended';
--> statement-breakpoint
-- The sums of the above by shard (one writer at a time each), and how many participants had a point in that hour or day.
CREATE TABLE tracking.hours (
  shard        smallint NOT NULL,
  hour         timestamptz NOT NULL,
  points       bigint NOT NULL DEFAULT 0,
  checkins     bigint NOT NULL DEFAULT 0,
  walked_km    double precision NOT NULL DEFAULT 0,
  motorized_km double precision NOT NULL DEFAULT 0,
  active       integer NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, shard)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE tracking.days (
  shard  smallint NOT NULL,
  day    date NOT NULL,
  active integer NOT NULL DEFAULT 0,
  PRIMARY KEY (day, shard)
) WITH (fillfactor = 50);
--> statement-breakpoint
-- Points counted by grid cell of level 15 (packages/domain, grid): lat_cell = floor(lat / 90 * 2^15), some 300 m, and
-- lng_cell likewise. Cells of coarser levels are made of whole ones of these; the sums give the mean.
CREATE TABLE tracking.cells (
  shard    smallint NOT NULL,
  lat_cell integer NOT NULL,
  lng_cell integer NOT NULL,
  points   bigint NOT NULL DEFAULT 0,
  sum_lat  double precision NOT NULL DEFAULT 0,
  sum_lng  double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (lat_cell, lng_cell, shard)
) WITH (fillfactor = 70);
--> statement-breakpoint
-- Almost free to write. The flush stores those who walk near each other next to each other, so a few blocks hold a place.
CREATE INDEX points_place ON tracking.points USING brin (lat, lng) WITH (pages_per_range = 16, autosummarize = on);
