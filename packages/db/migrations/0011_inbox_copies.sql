-- Copies of webhook events until they are handled: Redis answers before it has them on its disk. json keeps any text as it came.
CREATE TABLE line.inbox (
  id       text PRIMARY KEY,
  user_id  text,
  event    json NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT now()
);
