-- Files that people import. The file itself is in the object store until it is read; its report stays for a week.
CREATE TABLE media.imports (
  id           uuid PRIMARY KEY,
  user_id      text NOT NULL,
  object_key   text NOT NULL UNIQUE,
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed')),
  report       jsonb NOT NULL DEFAULT '{}',
  -- Points of the file that tracking has answered for: where another process goes on.
  handled      integer NOT NULL DEFAULT 0,
  error        text,
  tries        integer NOT NULL DEFAULT 0,
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  created_at   timestamptz NOT NULL DEFAULT now(),
  finished_at  timestamptz
);
CREATE UNIQUE INDEX imports_open ON media.imports (user_id) WHERE status IN ('queued', 'running');
CREATE INDEX imports_waiting ON media.imports (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX imports_by_user ON media.imports (user_id);
CREATE INDEX imports_finished ON media.imports (finished_at);
