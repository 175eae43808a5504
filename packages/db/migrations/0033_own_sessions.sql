-- People see their sessions and end each of them: by an id that opens none, with when and by what it was last used.
ALTER TABLE engagement.sessions
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN device text;
