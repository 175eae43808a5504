-- Where and when an uploaded photo was taken, as its check-in says; null for photos from the chat.
ALTER TABLE media.photos ADD lat double precision, ADD lng double precision, ADD taken_at timestamptz;
CREATE INDEX photos_by_user ON media.photos (user_id, created_at DESC, id DESC);
