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
-- The chat platform's id of the message that a photo came in: told twice, it is one photo.
ALTER TABLE media.photos ADD COLUMN message_id text UNIQUE;
--> statement-breakpoint
-- How many photos a participant has; the row's lock puts those that arrive at once into an order.
CREATE TABLE media.photo_counts (
  user_id text PRIMARY KEY,
  photos  integer NOT NULL CHECK (photos >= 0)
);
--> statement-breakpoint
-- Objects that nothing refers to any more, until the object store has heard of it. They never come back under that key.
CREATE TABLE media.discarded_objects (
  object_key text PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT now()
);
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
