-- Reports of people who are missing, or were found. Deleted a week after they are closed.
CREATE TABLE engagement.lost_cases (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  seq             bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  kind            text NOT NULL CHECK (kind IN ('lost', 'found')),
  about           text NOT NULL,
  phone           text,
  lat             double precision,
  lng             double precision,
  photo           text,
  -- The participant whom it is about, where organisers know that.
  user_id         text,
  status          text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'taken', 'closed')),
  taken_by        text,
  notes           text,
  reply           text,
  -- Null for what organisers entered: then there is no reporter who follows it.
  edit_token_hash bytea,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  closed_at       timestamptz
);
-- What a page sends again after a lost response is the same report.
CREATE UNIQUE INDEX lost_cases_edit_token ON engagement.lost_cases (edit_token_hash);
CREATE INDEX lost_cases_by_status ON engagement.lost_cases (status, seq);
CREATE INDEX lost_cases_by_user ON engagement.lost_cases (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX lost_cases_by_photo ON engagement.lost_cases (photo) WHERE photo IS NOT NULL;

-- Cases whose volunteers are still to be notified: the map may be away for a while.
CREATE TABLE line.lost_alerts (
  event_id   uuid PRIMARY KEY,
  case_id    uuid NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz
);
CREATE INDEX lost_alerts_waiting ON line.lost_alerts (at) WHERE settled_at IS NULL;

-- Who was notified of which case, by which alert: once, however often its place is corrected.
CREATE TABLE line.lost_notified (
  case_id  uuid NOT NULL,
  user_id  text NOT NULL,
  event_id uuid NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (case_id, user_id)
);
CREATE INDEX lost_notified_by_user ON line.lost_notified (user_id);
