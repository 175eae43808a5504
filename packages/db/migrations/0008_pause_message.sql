-- What people are shown while the activity is paused: {zh, en}; null where nothing was said.
ALTER TABLE engagement.activity ADD COLUMN message jsonb;
