-- Who is signed in. The token is in the cookie alone; here is its SHA-256, as base64url.
CREATE TABLE engagement.sessions (
  token_hash text PRIMARY KEY,
  kind       text NOT NULL,
  user_id    text,
  -- Began with an admin token: which one (a hash), and its role.
  admin_key  text,
  admin_role text,
  -- Of somebody who had a role at sign-in: what they may do follows the role as it is now.
  is_staff   boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz,
  CHECK ((user_id IS NULL) = (kind = 'admin'))
);
CREATE INDEX sessions_by_user ON engagement.sessions (user_id);
CREATE INDEX sessions_by_expiry ON engagement.sessions (expires_at);

-- Moves a device's walk to another phone; used once.
CREATE TABLE engagement.recovery_codes (
  user_id    text PRIMARY KEY,
  code_hash  text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Sessions that changed lately, for the gateways that keep them in memory. It names no person.
CREATE TABLE engagement.session_changes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_hash text NOT NULL,
  at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX session_changes_by_time ON engagement.session_changes (at);
