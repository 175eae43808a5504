-- Links by which people let their family see where they are. One that has ended stays until its person is erased, so that
-- its page says so.
CREATE TABLE engagement.shares (
  token      text PRIMARY KEY,
  user_id    text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz
);
CREATE UNIQUE INDEX shares_open ON engagement.shares (user_id) WHERE ended_at IS NULL;
CREATE INDEX shares_by_user ON engagement.shares (user_id);
