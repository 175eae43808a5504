-- Messages that are sent to many: a push is cut into chunks, each sent under a retry key of its own.
CREATE TABLE line.pushes (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- What made it: an administrator's call, or an event's key, which makes it once.
  cause        text NOT NULL UNIQUE,
  by           text NOT NULL,
  audience     jsonb NOT NULL,
  -- The same for everybody, or by language.
  messages     jsonb NOT NULL,
  -- Where each gets messages of their own: what they are made by, at the moment of sending.
  personal     text,
  -- What may be spent of the quota's reserve: pause notices and the final summary may, others not.
  urgent       boolean NOT NULL DEFAULT false,
  -- Whether it passes over who said that they want no messages.
  honours_stop boolean NOT NULL DEFAULT true,
  scheduled_at timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- When its chunks were made; null while it waits for its time.
  released_at  timestamptz,
  finished_at  timestamptz,
  -- Everybody who was addressed; and of them those for whom no chunk was made.
  recipients   integer NOT NULL DEFAULT 0,
  failed       integer NOT NULL DEFAULT 0,
  blocked      integer NOT NULL DEFAULT 0,
  skipped      integer NOT NULL DEFAULT 0
);
--> statement-breakpoint
CREATE INDEX pushes_scheduled ON line.pushes (scheduled_at) WHERE released_at IS NULL;
--> statement-breakpoint
CREATE INDEX pushes_unfinished ON line.pushes (id) WHERE finished_at IS NULL;
--> statement-breakpoint
CREATE TABLE line.push_chunks (
  push_id    uuid NOT NULL REFERENCES line.pushes (id) ON DELETE CASCADE,
  chunk      integer NOT NULL,
  -- Whom it is for; nobody any more once it is settled.
  user_ids   text[] NOT NULL,
  language   text,
  -- Higher ones go first.
  priority   smallint NOT NULL DEFAULT 0,
  state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'settled')),
  sent       integer NOT NULL DEFAULT 0,
  failed     integer NOT NULL DEFAULT 0,
  blocked    integer NOT NULL DEFAULT 0,
  skipped    integer NOT NULL DEFAULT 0,
  attempts   integer NOT NULL DEFAULT 0,
  -- The end of the lease of who has it, or of the pause before it is tried again.
  not_before timestamptz NOT NULL DEFAULT now(),
  -- LINE knows a retry key for 24 hours from here.
  first_at   timestamptz,
  request_id text,
  reason     text,
  PRIMARY KEY (push_id, chunk)
);
--> statement-breakpoint
CREATE INDEX push_chunks_due ON line.push_chunks (priority DESC, not_before) WHERE state = 'waiting';
--> statement-breakpoint
CREATE INDEX push_chunks_waiting ON line.push_chunks (push_id) WHERE state = 'waiting';
--> statement-breakpoint
-- What the owners were told of the house's health, so that copies and restarts tell it once. `rev` only grows.
CREATE TABLE line.alerts (
  id    smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  rev   bigint NOT NULL DEFAULT 0,
  state jsonb NOT NULL DEFAULT '{}'
);
--> statement-breakpoint
INSERT INTO line.alerts (id) VALUES (1);
