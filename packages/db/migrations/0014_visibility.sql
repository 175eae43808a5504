-- What a consent shows to the public: only counted in the crowd, a dot without a name, or a dot with it.
ALTER TABLE engagement.participants
  ADD COLUMN visibility text NOT NULL DEFAULT 'named' CHECK (visibility IN ('crowd', 'anonymous', 'named'));
ALTER TABLE engagement.consent_history
  ADD COLUMN visibility text NOT NULL DEFAULT 'named' CHECK (visibility IN ('crowd', 'anonymous', 'named'));
