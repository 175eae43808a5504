-- Who talks to us through the chat platform.
CREATE TABLE line.users (
  user_id          text PRIMARY KEY,
  following        boolean NOT NULL DEFAULT true,
  -- Of the last follow or unfollow that counted, epoch milliseconds: they come out of order and settle by it.
  following_ms     bigint NOT NULL DEFAULT 0,
  -- Whether messages that nobody asked for are welcome; settles by the time at which it was said, like a follow.
  notifications    boolean NOT NULL DEFAULT true,
  notifications_ms bigint NOT NULL DEFAULT 0,
  -- A push found that this person blocked the bot; a follow lifts it.
  blocked_at       timestamptz,
  profile_language text,
  updated_at       timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE line.outbox (
  seq  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id   uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  at   timestamptz NOT NULL DEFAULT now(),
  data jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE line.processed_events (
  event_id uuid PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now()
);
