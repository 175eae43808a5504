import type { Database, Parameter } from '@palanquin/db/client'
import {
  FEEDBACK_STATUSES,
  type FeedbackCategory,
  type FeedbackStatus,
  mayReword,
  whichFeedbackMayBecome,
} from '@palanquin/domain/feedback'
import type { Role } from '@palanquin/domain/role'

/** An item with all that is known of it. Who may see what is the views' to say (`view.ts`). */
export type Feedback = {
  id: string
  seq: number
  userId: string | null
  displayName: string | null
  category: FeedbackCategory
  message: string
  screenshot: string | null
  status: FeedbackStatus
  reply: string | null
  createdAt: Date
  updatedAt: Date
}

export type NewFeedback = {
  userId: string | null
  category: FeedbackCategory
  message: string
  /** The names under which the screenshot may be known; empty for none. */
  screenshotNames: readonly string[]
  /** SHA-256 in hex. */
  editTokenHash: string
}

/** `userId` and screenshot are kept as they are found; a screenshot that nobody uploaded keeps nothing. */
const CREATE = `
WITH shown AS (
  SELECT filename FROM media.screenshots WHERE filename = ANY ($4::text[]) LIMIT 1
), kept AS (
  INSERT INTO engagement.feedback (user_id, category, message, screenshot, edit_token_hash)
  SELECT $1::text, $2::text, $3::text, (SELECT filename FROM shown), decode($5::text, 'hex')
  WHERE cardinality($4::text[]) = 0 OR EXISTS (SELECT FROM shown)
  RETURNING id, user_id
), named AS (
  INSERT INTO engagement.participants (user_id) SELECT user_id FROM kept WHERE user_id IS NOT NULL
  ON CONFLICT (user_id) DO NOTHING
)
SELECT id FROM kept`

/** Of `engagement.feedback AS f` with `OF_WHOM`. */
export const FIELDS = `f.id, f.seq, f.user_id AS "userId", p.display_name AS "displayName", f.category, f.message, f.screenshot,
  f.status, f.reply, f.created_at AS "createdAt", f.updated_at AS "updatedAt"`
export const OF_WHOM = 'LEFT JOIN engagement.participants AS p ON p.user_id = f.user_id'

/** Grows with every change, also when a clock is set back, and is a whole millisecond wherever it is read. */
const NEXT_UPDATED = `greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`

/** The transition is judged under the row's lock; what was done is noted in the same statement. */
const ANSWER = `
WITH changed AS (
  UPDATE engagement.feedback SET status = coalesce($2::text, status), updated_at = ${NEXT_UPDATED},
    reply = CASE WHEN $3::text IS NULL THEN reply ELSE nullif($3::text, '') END
  WHERE id = $1::text::uuid AND ($2::text IS NULL OR status = ANY ($4::text[]))
  RETURNING *
), noted AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'feedback.answered', $5::text, updated_at, jsonb_strip_nulls(jsonb_build_object('id', id, 'status', $2::text,
    'replied', CASE WHEN $3::text IS NOT NULL THEN reply IS NOT NULL END))
  FROM changed
)
SELECT ${FIELDS} FROM changed AS f ${OF_WHOM}`

/** The hash was compared already, in constant time; asking for it again ties the change to that very item. */
const REWORD = `
WITH changed AS (
  UPDATE engagement.feedback SET message = $2::text, updated_at = ${NEXT_UPDATED}
  WHERE id = $1::text::uuid AND edit_token_hash = decode($3::text, 'hex') AND status = ANY ($4::text[])
  RETURNING *
)
SELECT ${FIELDS} FROM changed AS f ${OF_WHOM}`

/** What is written of feedback, and one item read. Ids must be UUIDs. All throw StoreUnavailable. */
export function feedbackStore(db: Database) {
  const one = async (statement: string, parameters: readonly Parameter[]): Promise<Feedback | null> => {
    const [row] = await db.query<Feedback>(statement, parameters)
    return row ?? null
  }
  return {
    /** The id, or null where there is no such screenshot: then nothing was kept. */
    create: async (given: NewFeedback): Promise<string | null> => {
      const { userId, category, message, screenshotNames, editTokenHash } = given
      const parameters = [userId, category, message, screenshotNames, editTokenHash]
      const [row] = await db.query<{ id: string }>(CREATE, parameters)
      return row?.id ?? null
    },
    read: (id: string) =>
      one(`SELECT ${FIELDS} FROM engagement.feedback AS f ${OF_WHOM} WHERE f.id = $1::text::uuid`, [id]),
    /** The hash (hex) of the token that may reword it; null where there is no such item. */
    hashOf: async (id: string): Promise<string | null> => {
      const [row] = await db.query<{ hash: string }>(
        `SELECT encode(edit_token_hash, 'hex') AS hash FROM engagement.feedback WHERE id = $1::text::uuid`,
        [id],
      )
      return row?.hash ?? null
    },
    /** Null where there is no such item, or it may not become `status` from what it is. An empty reply takes it back. */
    answer: (
      id: string,
      { status, reply, by }: { status: FeedbackStatus | null; reply: string | null; by: Role },
    ) => one(ANSWER, [id, status, reply, status === null ? [] : whichFeedbackMayBecome(status), by]),
    /** Null where it may not be reworded any more. */
    reword: (id: string, { message, editTokenHash }: { message: string; editTokenHash: string }) =>
      one(REWORD, [id, message, editTokenHash, FEEDBACK_STATUSES.filter(mayReword)]),
  }
}

export type FeedbackStore = ReturnType<typeof feedbackStore>
