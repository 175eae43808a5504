-- Screenshots of feedback; the bodies are in the object store under names that we made up.
CREATE TABLE media.screenshots (
  filename   text PRIMARY KEY,
  object_key text NOT NULL UNIQUE,
  user_id    text,
  width      integer NOT NULL,
  height     integer NOT NULL,
  bytes      integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX screenshots_user ON media.screenshots (user_id) WHERE user_id IS NOT NULL;
--> statement-breakpoint
-- The share card that stands for a participant now: what it shows, and where it is.
CREATE TABLE media.cards (
  user_id      text PRIMARY KEY,
  object_key   text NOT NULL,
  etag         text NOT NULL,
  generated_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE media.outbox (
  seq  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id   uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  at   timestamptz NOT NULL DEFAULT now(),
  data jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE media.processed_events (
  event_id uuid PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now()
);
