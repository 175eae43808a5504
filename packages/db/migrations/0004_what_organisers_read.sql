-- Indexes behind the lists of organisers: every order, filter and search of them at hundreds of thousands of people.
CREATE INDEX tracks_distance ON tracking.tracks ((walked_km + motorized_km), user_id);
--> statement-breakpoint
CREATE INDEX tracks_checkins ON tracking.tracks (checkins, user_id);
--> statement-breakpoint
CREATE INDEX tracks_seen ON tracking.tracks (last_seen_at, user_id);
--> statement-breakpoint
CREATE INDEX participants_created ON engagement.participants (created_at, user_id);
--> statement-breakpoint
CREATE INDEX participants_status ON engagement.participants (status, created_at, user_id);
--> statement-breakpoint
-- Letters as a person compares them: small, full-width and half-width alike.
CREATE FUNCTION engagement.folded(given text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT
RETURN lower(normalize(given, NFKC));
--> statement-breakpoint
-- What lists are put in order of names by: bounded, for an index entry has at most 2,700 bytes; who has no name comes last.
CREATE FUNCTION engagement.name_key(given text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(left(engagement.folded(given), 100), U&'\+10FFFF');
--> statement-breakpoint
CREATE INDEX participants_name ON engagement.participants ((engagement.name_key(display_name) COLLATE "C"), user_id);
--> statement-breakpoint
-- What a search looks through: the name, and the digits of the phone number on a line of its own.
CREATE FUNCTION engagement.search_text(name text, phone text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(engagement.folded(name), '') || chr(10) || coalesce(phone, '');
--> statement-breakpoint
-- Every piece of `size` to 2 characters. Two are a word in Chinese, where pg_trgm's three find nothing, and one is a family
-- name. In plpgsql, because it takes 10 us a name there and 90 in a query.
CREATE FUNCTION engagement.grams(given text, size integer) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 500 AS $$
DECLARE
  singles text[] := string_to_array(given, NULL);
  pairs   text[] := '{}';
BEGIN
  FOR at IN 2 .. coalesce(array_length(singles, 1), 0) LOOP
    pairs := pairs || (singles[at - 1] || singles[at]);
  END LOOP;
  RETURN CASE WHEN size = 1 THEN singles || pairs ELSE pairs END;
END
$$;
--> statement-breakpoint
CREATE INDEX participants_search ON engagement.participants
  USING gin (engagement.grams(engagement.search_text(display_name, phone), 1)) WITH (fastupdate = off);
--> statement-breakpoint
-- The beginnings of ids, whatever the collation of the database.
CREATE INDEX participants_id ON engagement.participants (user_id COLLATE "C");
--> statement-breakpoint
CREATE INDEX tracks_id ON tracking.tracks (user_id COLLATE "C");
