-- What a page sends again after a lost response is the same item: it names it by the edit token.
CREATE UNIQUE INDEX feedback_edit_token ON engagement.feedback (edit_token_hash);
