-- Devices whose walk was joined to a LINE id: whatever still arrives of the device is that person's.
CREATE TABLE engagement.links (
  device_id   text PRIMARY KEY,
  user_id     text NOT NULL,
  linked_at   timestamptz NOT NULL DEFAULT now(),
  -- Null while a service has yet to do its part.
  finished_at timestamptz
);
CREATE INDEX links_by_user ON engagement.links (user_id);
CREATE INDEX links_unfinished ON engagement.links (linked_at) WHERE finished_at IS NULL;

-- A person has the share addresses of their devices beside their own.
ALTER TABLE media.card_shares DROP CONSTRAINT card_shares_user_id_key;
ALTER TABLE media.card_shares ADD joined boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX card_shares_own ON media.card_shares (user_id) WHERE NOT joined;
CREATE INDEX card_shares_by_user ON media.card_shares (user_id);
