-- Surveys with their history, the achievement, feedback, roles: what people tell, and who may work with it.
ALTER TABLE engagement.participants
  ADD COLUMN survey_first_at         timestamptz,
  ADD COLUMN achievement_unlocked_at timestamptz;
--> statement-breakpoint
COMMENT ON COLUMN engagement.participants.survey_first_at IS 'never changes: the order of the survey list holds while answers are replaced';
--> statement-breakpoint
COMMENT ON COLUMN engagement.participants.achievement_unlocked_at IS 'when achievement.unlocked was told; told once, whatever changes later';
--> statement-breakpoint
CREATE INDEX participants_survey ON engagement.participants (survey_first_at, user_id) WHERE survey_first_at IS NOT NULL;
--> statement-breakpoint
-- Who lacks nothing but check-ins: the few rows that a sweep for due achievements looks at.
CREATE INDEX participants_due ON engagement.participants (user_id)
  WHERE survey_completed_at IS NOT NULL AND phone IS NOT NULL AND achievement_unlocked_at IS NULL;
--> statement-breakpoint
CREATE TABLE engagement.survey_history (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id      text NOT NULL,
  answers      jsonb NOT NULL,
  submitted_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX survey_history_user ON engagement.survey_history (user_id, submitted_at);
--> statement-breakpoint
CREATE TABLE engagement.feedback (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  seq             bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  user_id         text,
  category        text NOT NULL CHECK (category IN ('bug', 'suggestion', 'praise', 'other')),
  message         text NOT NULL,
  screenshot      text,
  status          text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'resolved', 'rejected')),
  reply           text,
  edit_token_hash bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- The lists go newest first, by either filter; the counts by status read this index alone.
CREATE INDEX feedback_status ON engagement.feedback (status, seq);
--> statement-breakpoint
CREATE INDEX feedback_category ON engagement.feedback (category, seq);
--> statement-breakpoint
CREATE INDEX feedback_user ON engagement.feedback (user_id) WHERE user_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE engagement.roles (
  user_id  text PRIMARY KEY,
  role     text NOT NULL CHECK (role IN ('owner', 'manager', 'volunteer')),
  given_by text NOT NULL,
  given_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX roles_role ON engagement.roles (role, user_id);
