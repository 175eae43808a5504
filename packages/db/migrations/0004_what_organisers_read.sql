-- Indexes behind the lists of organisers.
CREATE INDEX tracks_distance ON tracking.tracks ((walked_km + motorized_km), user_id);
--> statement-breakpoint
CREATE INDEX tracks_checkins ON tracking.tracks (checkins, user_id);
