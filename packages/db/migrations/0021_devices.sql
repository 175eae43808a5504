-- The apps on people's phones that send positions in their name.
CREATE TABLE engagement.devices (
  device_id  uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    text NOT NULL,
  -- One of ten, so that calls at the same moment make no eleventh.
  slot       smallint NOT NULL,
  app        text NOT NULL,
  name       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, slot)
);

-- Their write tokens. The token is on the phone alone; here is its SHA-256, as base64url.
CREATE TABLE engagement.device_tokens (
  token_hash text PRIMARY KEY,
  device_id  uuid NOT NULL REFERENCES engagement.devices ON DELETE CASCADE,
  -- Of a token that was rotated.
  expires_at timestamptz
);
CREATE INDEX device_tokens_by_device ON engagement.device_tokens (device_id);

-- What last arrived of each: for its owner, who wants to know whether it works.
CREATE TABLE tracking.device_reports (
  device_id     uuid PRIMARY KEY,
  user_id       text NOT NULL,
  seen_at       timestamptz NOT NULL,
  last_point_at timestamptz,
  outcome       text NOT NULL,
  by_hand       boolean NOT NULL,
  battery       smallint,
  charging      boolean,
  day           date NOT NULL,
  points_of_day integer NOT NULL,
  version       text
);
CREATE INDEX device_reports_by_user ON tracking.device_reports (user_id);
