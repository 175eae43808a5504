-- A flush registers participants with the time at which they were last seen: their views read them by when the row was made.
CREATE INDEX participants_changed_at ON engagement.participants (greatest(updated_at, created_at));
