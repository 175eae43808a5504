-- A late point makes a track a case for a rebuild. It goes on from the last checkpoint before that point instead of from
-- the first point of all: a track that was computed already, as `tracks.state` holds it.
CREATE TABLE tracking.checkpoints (
  user_id   text NOT NULL,
  at        timestamptz NOT NULL,
  open_from timestamptz NOT NULL,
  state     jsonb NOT NULL,
  PRIMARY KEY (user_id, at)
);
--> statement-breakpoint
COMMENT ON TABLE tracking.checkpoints IS 'at: recorded_at of the last point that state has seen; what it counted ended by open_from. Void from tracks.rebuild_from on.';
--> statement-breakpoint
-- What is recorded from rebuild_from on is not in the track's figures, or not rightly; null: nobody knows from where on.
-- Who was marked first is rebuilt first.
ALTER TABLE tracking.tracks ADD COLUMN rebuild_from timestamptz, ADD COLUMN rebuild_marked_at timestamptz;
