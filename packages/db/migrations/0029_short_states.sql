-- The state of a track, which each flush reads and writes whole, as a short text; rows that are there keep their JSON, which
-- is read as before. A process of the version before takes neither for a track, and has the rebuild recompute it.
ALTER TABLE tracking.tracks ALTER COLUMN state TYPE text USING state::text;
--> statement-breakpoint
-- An event goes out as it was written, and is gone seconds later: neither taken apart nor compressed.
ALTER TABLE tracking.outbox ALTER COLUMN data TYPE json USING data::json, ALTER COLUMN data SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Nothing searches tracks by the beginnings of ids: the lists search participants (participants_id).
DROP INDEX tracking.tracks_id;
