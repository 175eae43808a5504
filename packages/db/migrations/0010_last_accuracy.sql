-- How exact the latest position was, in metres: the map shows it. Null where the phone did not say, and of positions before this.
ALTER TABLE tracking.tracks ADD COLUMN last_accuracy double precision;
