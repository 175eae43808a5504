-- What organisers tell everybody on the way.
CREATE TABLE engagement.places (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind       text NOT NULL,
  name_zh    text NOT NULL,
  name_en    text NOT NULL,
  note_zh    text,
  note_en    text,
  lat        double precision NOT NULL,
  lng        double precision NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE engagement.notices (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  at         timestamptz NOT NULL DEFAULT now(),
  level      text NOT NULL,
  zh         text NOT NULL,
  en         text NOT NULL,
  until      timestamptz
);

-- One row at most: the planned or walked way, simplified.
CREATE TABLE engagement.route (
  only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  lines      jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The palanquin and the vehicles of the procession, and which devices carry each in turn.
CREATE TABLE tracking.beacons (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind       text NOT NULL,
  name_zh    text NOT NULL,
  name_en    text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tracking.beacon_devices (
  user_id    text PRIMARY KEY,
  beacon_id  uuid NOT NULL REFERENCES tracking.beacons ON DELETE CASCADE,
  since      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX beacon_devices_by_beacon ON tracking.beacon_devices (beacon_id);
