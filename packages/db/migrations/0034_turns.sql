-- Reports of a minute come together in one message: which of them are in it is kept, so that a crash sends it once.
ALTER TABLE line.lost_alerts ADD COLUMN message_id uuid;
CREATE INDEX lost_alerts_settled ON line.lost_alerts (settled_at) WHERE message_id IS NOT NULL;
--> statement-breakpoint
-- Imports take turns by person, small files first, within a budget of a day.
ALTER TABLE media.imports
  ADD COLUMN bytes        integer NOT NULL DEFAULT 0,
  ADD COLUMN processor_ms integer NOT NULL DEFAULT 0;
