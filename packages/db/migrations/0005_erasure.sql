-- Who was erased, and when, by a keyed hash that names nobody: what was received before that moment and comes to light
-- later (in the journal of a process that was down, in a buffer that came back) is dropped instead of stored.
CREATE TABLE tracking.erasures (
  mark  text PRIMARY KEY,
  shard smallint NOT NULL,
  at    timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX erasures_shard ON tracking.erasures (shard);
