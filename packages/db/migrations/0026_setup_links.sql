-- Links by which a phone app is set up: each for one app on one phone, opened by whoever has the code. The code and the key
-- of the browser that opened it are with people alone; here are their SHA-256, as base64url.
CREATE TABLE engagement.setup_links (
  code_hash  text PRIMARY KEY,
  user_id    text NOT NULL,
  name       text,
  -- The administrator who made it; null for the person.
  made_by    text,
  expires_at timestamptz NOT NULL,
  -- Of the first browser that chose an app: no other may.
  key_hash   text,
  -- It may have been revoked since.
  device_id  uuid
);
CREATE INDEX setup_links_by_user ON engagement.setup_links (user_id);
