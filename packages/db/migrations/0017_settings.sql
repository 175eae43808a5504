-- What owners set while the services run; what is not in it, the environment says.
CREATE TABLE engagement.settings (
  only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  settings   jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO engagement.settings DEFAULT VALUES;
