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
-- The share card that stands for a participant now: what it shows (as a hash), and where it is.
CREATE TABLE media.cards (
  user_id      text PRIMARY KEY,
  content_key  text NOT NULL,
  object_key   text NOT NULL,
  etag         text NOT NULL,
  generated_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Objects of cards that no row of cards points to: written down before they are stored, and again when they are
-- replaced, so that a crash at any moment leaves none that nobody knows of. Doomed ones are being deleted.
CREATE TABLE media.card_leftovers (
  object_key text PRIMARY KEY,
  user_id    text,
  at         timestamptz NOT NULL DEFAULT now(),
  doomed     boolean NOT NULL DEFAULT false
);
--> statement-breakpoint
CREATE INDEX card_leftovers_at ON media.card_leftovers (at);
--> statement-breakpoint
CREATE INDEX card_leftovers_user ON media.card_leftovers (user_id) WHERE user_id IS NOT NULL;
--> statement-breakpoint
-- Cards to be made without anybody waiting: at the unlocking of an achievement, and of everybody's at the end.
CREATE TABLE media.card_orders (
  user_id      text PRIMARY KEY,
  asked_at     timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  tries        integer NOT NULL DEFAULT 0
);
--> statement-breakpoint
CREATE INDEX card_orders_next ON media.card_orders (leased_until, asked_at);
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
