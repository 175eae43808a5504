-- When the first point of a track was stored; null for those from before this column. The density counts nobody who has just come.
ALTER TABLE tracking.tracks ADD COLUMN first_at timestamptz;
--> statement-breakpoint
ALTER TABLE tracking.tracks ALTER COLUMN first_at SET DEFAULT now();
--> statement-breakpoint
-- With a consent and counted nowhere.
ALTER TABLE engagement.participants
  DROP CONSTRAINT participants_visibility_check,
  ADD CONSTRAINT participants_visibility_check CHECK (visibility IN ('hidden', 'crowd', 'anonymous', 'named'));
--> statement-breakpoint
ALTER TABLE engagement.consent_history
  DROP CONSTRAINT consent_history_visibility_check,
  ADD CONSTRAINT consent_history_visibility_check CHECK (visibility IN ('hidden', 'crowd', 'anonymous', 'named'));
--> statement-breakpoint
-- Of which the public id is made, beside the userId. The lower 10 bits count the changes of a row, the upper ones begin anywhere,
-- so that who was erased and comes back has another id.
ALTER TABLE engagement.participants ADD COLUMN public_version integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE engagement.participants ALTER COLUMN public_version SET DEFAULT floor(random() * 2000000)::integer * 1024;
--> statement-breakpoint
CREATE FUNCTION engagement.next_public_version() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.public_version := OLD.public_version + 1;
  RETURN NEW;
END
$$;
--> statement-breakpoint
-- Whatever statement it is: a dot that shows less, or is there by a new consent, is not the dot from before.
CREATE TRIGGER participants_public_version BEFORE UPDATE OF consent, visibility ON engagement.participants
FOR EACH ROW WHEN (
  (NEW.consent AND NOT OLD.consent)
  OR array_position(ARRAY['hidden', 'crowd', 'anonymous', 'named'], NEW.visibility)
   < array_position(ARRAY['hidden', 'crowd', 'anonymous', 'named'], OLD.visibility)
) EXECUTE FUNCTION engagement.next_public_version();
