-- Percent of the phone's battery, where it says so.
ALTER TABLE tracking.points ADD battery smallint;
ALTER TABLE tracking.carried_points ADD battery smallint;
