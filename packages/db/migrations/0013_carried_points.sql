-- What a device sent while it carried a beacon: the beacon's way, in no figure. Same columns as tracking.points.
CREATE TABLE tracking.carried_points (
  user_id     text NOT NULL,
  recorded_at timestamptz NOT NULL,
  kind        smallint NOT NULL,
  lat         double precision NOT NULL,
  lng         double precision NOT NULL,
  accuracy    double precision,
  speed       double precision,
  altitude    real,
  heading     real,
  source      text NOT NULL,
  note        text,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, recorded_at, kind)
);

-- When devices carried a beacon that they no longer carry: a point that comes late is judged by the time it was recorded.
CREATE TABLE tracking.carried_spans (
  user_id text NOT NULL,
  since   timestamptz NOT NULL,
  until   timestamptz NOT NULL,
  PRIMARY KEY (user_id, since)
);

-- All times of carrying, past and present, in the milliseconds of recorded times.
CREATE VIEW tracking.carrying AS
SELECT user_id, date_trunc('milliseconds', since) AS since, NULL::timestamptz AS until FROM tracking.beacon_devices
UNION ALL
SELECT user_id, date_trunc('milliseconds', since), date_trunc('milliseconds', until) FROM tracking.carried_spans;
