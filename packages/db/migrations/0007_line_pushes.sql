-- Messages that are sent to many: a push is cut into chunks, each sent under a retry key of its own.
CREATE TABLE line.pushes (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- What made it: an administrator's call, or an event's key, which makes it once.
  cause        text NOT NULL UNIQUE,
  by           text NOT NULL,
  audience     jsonb NOT NULL,
  messages     jsonb NOT NULL,
  -- What may be spent of the quota's reserve: pause notices and the final summary may, others not.
  urgent       boolean NOT NULL DEFAULT false,
  scheduled_at timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  finished_at  timestamptz,
  recipients   integer NOT NULL DEFAULT 0
);
--> statement-breakpoint
CREATE INDEX pushes_scheduled ON line.pushes (scheduled_at) WHERE scheduled_at IS NOT NULL AND finished_at IS NULL;
--> statement-breakpoint
CREATE TABLE line.push_chunks (
  push_id    uuid NOT NULL REFERENCES line.pushes (id) ON DELETE CASCADE,
  chunk      integer NOT NULL,
  user_ids   text[] NOT NULL,
  -- Messages of this chunk where they are its own (a personal summary); else those of the push.
  messages   jsonb,
  state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed', 'skipped')),
  blocked    integer NOT NULL DEFAULT 0,
  attempts   integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT now(),
  first_at   timestamptz,
  request_id text,
  reason     text,
  PRIMARY KEY (push_id, chunk)
);
--> statement-breakpoint
CREATE INDEX push_chunks_waiting ON line.push_chunks (not_before) WHERE state = 'waiting';
