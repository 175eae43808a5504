-- The last use of a code, so that an answer that was lost on the way can be given again to the phone that asked.
ALTER TABLE engagement.recovery_codes
  ADD used_code_hash text,
  ADD attempt_hash   text,
  ADD attempted_at   timestamptz,
  ADD session_hash   text;
CREATE INDEX recovery_codes_used ON engagement.recovery_codes (used_code_hash) WHERE attempt_hash IS NOT NULL;
