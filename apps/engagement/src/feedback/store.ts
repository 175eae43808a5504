import type { Database, Parameter } from '@palanquin/db/client'
import {
  FEEDBACK_STATUSES,
  type FeedbackCategory,
  type FeedbackStatus,
  mayReword,
  whichFeedbackMayBecome,
} from '@palanquin/domain/feedback'
import type { Role } from '@palanquin/domain/role'

/** A whole item; `view.ts` decides who sees which fields. */
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
  /** Candidate file names of the screenshot; empty for none. */
  screenshotNames: readonly string[]
  /** SHA-256 in hex. */
  editTokenHash: string
}

/** Stores nothing where the screenshot was never uploaded. */
const CREATE = `
WITH uploaded AS (
  SELECT filename FROM media.screenshots WHERE filename = ANY ($4::text[]) LIMIT 1
), created AS (
  INSERT INTO engagement.feedback (user_id, category, message, screenshot, edit_token_hash)
  SELECT $1::text, $2::text, $3::text, (SELECT filename FROM uploaded), decode($5::text, 'hex')
  WHERE cardinality($4::text[]) = 0 OR EXISTS (SELECT FROM uploaded)
  RETURNING id, user_id
), registered AS (
  INSERT INTO engagement.participants (user_id) SELECT user_id FROM created WHERE user_id IS NOT NULL
  ON CONFLICT (user_id) DO NOTHING
)
SELECT id FROM created`

/** Of `engagement.feedback AS f` with `OF_WHOM`. */
export const FIELDS = `f.id, f.seq, f.user_id AS "userId", p.display_name AS "displayName", f.category, f.message, f.screenshot,
  f.status, f.reply, f.created_at AS "createdAt", f.updated_at AS "updatedAt"`
export const OF_WHOM = 'LEFT JOIN engagement.participants AS p ON p.user_id = f.user_id'

/** Strictly increasing even when the clock is set back; whole milliseconds. */
const NEXT_UPDATED = `greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`

/** Checks the transition under the row's lock and audits it in the same statement. */
const ANSWER = `
WITH changed AS (
  UPDATE engagement.feedback SET status = coalesce($2::text, status), updated_at = ${NEXT_UPDATED},
    reply = CASE WHEN $3::text IS NULL THEN reply ELSE nullif($3::text, '') END
  WHERE id = $1::text::uuid AND ($2::text IS NULL OR status = ANY ($4::text[]))
  RETURNING *
), audited AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'feedback.answered', $5::text, updated_at, jsonb_strip_nulls(jsonb_build_object('id', id, 'status', $2::text,
    'replied', CASE WHEN $3::text IS NOT NULL THEN reply IS NOT NULL END))
  FROM changed
)
SELECT ${FIELDS} FROM changed AS f ${OF_WHOM}`

/** The hash was compared in constant time already; repeating it ties the change to that item. */
const REWORD = `
WITH changed AS (
  UPDATE engagement.feedback SET message = $2::text, updated_at = ${NEXT_UPDATED}
  WHERE id = $1::text::uuid AND edit_token_hash = decode($3::text, 'hex') AND status = ANY ($4::text[])
  RETURNING *
)
SELECT ${FIELDS} FROM changed AS f ${OF_WHOM}`

/** Writes of feedback, and reads of one item. Ids must be UUIDs. All throw StoreUnavailable. */
export function feedbackStore(db: Database) {
  const one = async (statement: string, parameters: readonly Parameter[]): Promise<Feedback | null> => {
    const [row] = await db.query<Feedback>(statement, parameters)
    return row ?? null
  }
  return {
    /** Returns the id; null where there is no such screenshot, and nothing was stored. */
    create: async (given: NewFeedback): Promise<string | null> => {
      const { userId, category, message, screenshotNames, editTokenHash } = given
      const parameters = [userId, category, message, screenshotNames, editTokenHash]
      const [row] = await db.query<{ id: string }>(CREATE, parameters)
      return row?.id ?? null
    },
    read: (id: string) =>
      one(`SELECT ${FIELDS} FROM engagement.feedback AS f ${OF_WHOM} WHERE f.id = $1::text::uuid`, [id]),
    /** The hash (hex) of the edit token; null for an unknown item. */
    hashOf: async (id: string): Promise<string | null> => {
      const [row] = await db.query<{ hash: string }>(
        `SELECT encode(edit_token_hash, 'hex') AS hash FROM engagement.feedback WHERE id = $1::text::uuid`,
        [id],
      )
      return row?.hash ?? null
    },
    /** Null for an unknown item or a refused transition. An empty reply removes the earlier one. */
    answer: (
      id: string,
      { status, reply, by }: { status: FeedbackStatus | null; reply: string | null; by: Role },
    ) => one(ANSWER, [id, status, reply, status === null ? [] : whichFeedbackMayBecome(status), by]),
    /** Null where it may no longer be reworded. */
    reword: (id: string, { message, editTokenHash }: { message: string; editTokenHash: string }) =>
      one(REWORD, [id, message, editTokenHash, FEEDBACK_STATUSES.filter(mayReword)]),
  }
}

export type FeedbackStore = ReturnType<typeof feedbackStore>
