-- By which a share card is handed on: it does not say whose it is, and is gone with the participant.
CREATE TABLE media.card_shares (
  share_id   text PRIMARY KEY,
  user_id    text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
