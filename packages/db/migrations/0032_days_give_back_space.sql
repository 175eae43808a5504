-- A day gives back its space once VACUUM has left no page of it (0030). By itself VACUUM leaves the index alone where few pages
-- have dead rows, and comes for no fewer than 50: the last rows of a day, packed after it had been there, kept all of its pages.
CREATE OR REPLACE FUNCTION tracking.ensure_points_partition(day date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  partition text := 'points_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass('tracking.' || partition) IS NOT NULL THEN
    RETURN false;
  END IF;
  -- Two flushers may come here at once.
  PERFORM pg_advisory_xact_lock(hashtext('tracking.points'));
  EXECUTE format(
    'CREATE TABLE IF NOT EXISTS tracking.%I PARTITION OF tracking.points FOR VALUES FROM (%L) TO (%L)
       WITH (vacuum_index_cleanup = on, autovacuum_vacuum_threshold = 0)',
    partition, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
  RETURN true;
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'tracking.points'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (vacuum_index_cleanup = on, autovacuum_vacuum_threshold = 0)', partition);
  END LOOP;
END
$$;
