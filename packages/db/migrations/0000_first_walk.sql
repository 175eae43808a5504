-- The first walk: participants, the activity, points and the distance that follows from them.
-- Written by hand: drizzle-kit has no partition DDL (drizzle-orm#2854). src/schema mirrors it; a test compares both.
CREATE SCHEMA IF NOT EXISTS engagement;
--> statement-breakpoint
CREATE SCHEMA IF NOT EXISTS tracking;
--> statement-breakpoint
CREATE SCHEMA IF NOT EXISTS media;
--> statement-breakpoint
CREATE SCHEMA IF NOT EXISTS line;
--> statement-breakpoint
CREATE TABLE engagement.participants (
  user_id             text PRIMARY KEY,
  display_name        text,
  picture_url         text,
  language            text NOT NULL DEFAULT 'zh-TW' CHECK (language IN ('zh-TW', 'en')),
  status              text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'withdrawn')),
  consent             boolean NOT NULL DEFAULT false,
  consent_version     text,
  consent_at          timestamptz,
  phone               text,
  survey_completed_at timestamptz,
  survey              jsonb,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Followers of the public map re-read what changed lately.
CREATE INDEX participants_updated_at ON engagement.participants (updated_at);
--> statement-breakpoint
CREATE TABLE engagement.consent_history (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id     text NOT NULL,
  consent     boolean NOT NULL,
  version     text,
  recorded_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX consent_history_user ON engagement.consent_history (user_id, recorded_at);
--> statement-breakpoint
-- One row: the activity's single global status.
CREATE TABLE engagement.activity (
  id      smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  status  text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'ended')),
  since   timestamptz NOT NULL DEFAULT now(),
  by      text,
  outcome jsonb
);
--> statement-breakpoint
INSERT INTO engagement.activity (id) VALUES (1);
--> statement-breakpoint
-- What administrators did; the timeline shows it.
CREATE TABLE engagement.audit (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     timestamptz NOT NULL DEFAULT now(),
  type   text NOT NULL,
  by     text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'
);
--> statement-breakpoint
CREATE INDEX audit_at ON engagement.audit (at);
--> statement-breakpoint
CREATE TABLE engagement.outbox (
  seq  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id   uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  at   timestamptz NOT NULL DEFAULT now(),
  data jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE engagement.processed_events (
  event_id uuid PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE tracking.outbox (
  seq  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id   uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  at   timestamptz NOT NULL DEFAULT now(),
  data jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE tracking.processed_events (
  event_id uuid PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Every accepted point, raw. The key is what makes a repeated point count once.
CREATE TABLE tracking.points (
  user_id     text NOT NULL,
  recorded_at timestamptz NOT NULL,
  kind        smallint NOT NULL CHECK (kind IN (0, 1)),
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
) PARTITION BY RANGE (recorded_at);
--> statement-breakpoint
COMMENT ON COLUMN tracking.points.kind IS '0 check-in, 1 track: a check-in comes first at one recorded_at';
--> statement-breakpoint
-- A day's partition, made ahead by the flush. SECURITY DEFINER: the services' role has no DDL of its own.
CREATE FUNCTION tracking.ensure_points_partition(day date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  partition text := 'points_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass('tracking.' || partition) IS NOT NULL THEN
    RETURN false;
  END IF;
  -- Two flushers may come here at once.
  PERFORM pg_advisory_xact_lock(hashtext('tracking.points'));
  EXECUTE format(
    'CREATE TABLE IF NOT EXISTS tracking.%I PARTITION OF tracking.points FOR VALUES FROM (%L) TO (%L)',
    partition, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
  RETURN true;
END
$$;
--> statement-breakpoint
-- How far each shard of the buffer has been stored. version is the compare-and-swap of everything that a flush does.
CREATE TABLE tracking.flush_cursors (
  shard   smallint PRIMARY KEY,
  cursor  text NOT NULL DEFAULT '0-0',
  version bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
INSERT INTO tracking.flush_cursors (shard) SELECT generate_series(0, 15);
--> statement-breakpoint
-- What follows from a participant's points: the running state of the distance, and the latest position.
CREATE TABLE tracking.tracks (
  user_id       text PRIMARY KEY,
  shard         smallint NOT NULL,
  version       bigint NOT NULL,
  walked_km     double precision NOT NULL DEFAULT 0,
  motorized_km  double precision NOT NULL DEFAULT 0,
  points        integer NOT NULL DEFAULT 0,
  checkins      integer NOT NULL DEFAULT 0,
  state         jsonb NOT NULL,
  last_lat      double precision,
  last_lng      double precision,
  last_at       timestamptz,
  moved_id      text,
  last_seen_at  timestamptz NOT NULL,
  needs_rebuild boolean NOT NULL DEFAULT false
);
--> statement-breakpoint
CREATE INDEX tracks_version ON tracking.tracks (shard, version);
--> statement-breakpoint
CREATE INDEX tracks_needs_rebuild ON tracking.tracks (shard) WHERE needs_rebuild;
--> statement-breakpoint
-- Buffer entries that cannot be stored as points: kept whole, with the reason, for a person to look at.
CREATE TABLE tracking.set_aside (
  shard    smallint NOT NULL,
  entry_id text NOT NULL,
  position integer NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  reason   text NOT NULL,
  entry    jsonb NOT NULL,
  PRIMARY KEY (shard, entry_id, position)
);
--> statement-breakpoint
-- Pictures that participants sent through the chat platform; the bodies are in the object store.
CREATE TABLE media.photos (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    text NOT NULL,
  object_key text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX photos_user ON media.photos (user_id);
