import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { feedback, participants } from '@palanquin/db/schema/engagement'
import {
  FEEDBACK_STATUSES,
  FeedbackCategory,
  FeedbackStatus,
  mayReword,
  whichFeedbackMayBecome,
} from '@palanquin/domain/feedback'
import type { Receipt } from '@palanquin/service/erasure-token'
import { and, count, desc, eq, getTableColumns, lt } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import { ANSWER, CREATE, REWORD } from './sql.ts'

/** A whole item; `view.ts` decides who sees which fields. */
const Feedback = Type.Object({
  id: Type.String(),
  seq: Type.Integer(),
  userId: Nullable(Type.String()),
  displayName: Nullable(Type.String()),
  category: FeedbackCategory,
  message: Type.String(),
  screenshot: Nullable(Type.String()),
  status: FeedbackStatus,
  reply: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Feedback = Static<typeof Feedback>

const Created = Type.Object({ id: Nullable(Type.String()), erased: Type.Boolean() })

type NewFeedback = {
  userId: string | null
  /** Null without a name. */
  receipt: Receipt | null
  category: FeedbackCategory
  message: string
  /** Candidate file names of the screenshot; empty for none. */
  screenshotNames: readonly string[]
  /** SHA-256 in hex. */
  editTokenHash: string
}

/** Null matches all. */
export type FeedbackFilter = { status: FeedbackStatus | null; category: FeedbackCategory | null }

const { editTokenHash: hashColumn, ...own } = getTableColumns(feedback)
const ITEM = { ...own, displayName: participants.displayName }
const AUTHOR = eq(participants.userId, feedback.userId)

const matching = ({ status, category }: FeedbackFilter) =>
  and(
    status ? eq(feedback.status, status) : undefined,
    category ? eq(feedback.category, category) : undefined,
  )

/** Reads and writes of feedback. Ids must be UUIDs. All throw StoreUnavailable. */
export function feedbackStore(db: Database) {
  return {
    /** Returns the id; null where there is no such screenshot, or `erased`: nothing was stored. */
    create: async (input: NewFeedback): Promise<string | null | 'erased'> => {
      const { userId, category, message, screenshotNames, editTokenHash, receipt } = input
      const parameters = [userId, category, message, screenshotNames, editTokenHash, receipt]
      const [row] = await db.queryAs(Created, CREATE, parameters)
      return row?.erased ? 'erased' : (row?.id ?? null)
    },
    read: async (id: string): Promise<Feedback | null> => {
      const [row] = await db.orm((orm) =>
        orm.select(ITEM).from(feedback).leftJoin(participants, AUTHOR).where(eq(feedback.id, id)),
      )
      return row ?? null
    },
    /** At most `count` items before a `seq` (null: from the newest), newest first. */
    page: (filter: FeedbackFilter, { beforeSeq, count }: { beforeSeq: number | null; count: number }) =>
      db.orm((orm) =>
        orm
          .select(ITEM)
          .from(feedback)
          .leftJoin(participants, AUTHOR)
          .where(and(matching(filter), beforeSeq === null ? undefined : lt(feedback.seq, beforeSeq)))
          .orderBy(desc(feedback.seq))
          .limit(count),
      ),
    /** How many items there are of each status and category. Reads them all. */
    counts: () =>
      db.orm((orm) =>
        orm
          .select({ status: feedback.status, category: feedback.category, count: count() })
          .from(feedback)
          .groupBy(feedback.status, feedback.category),
      ),
    /** The hash of the edit token; null for an unknown item. */
    hashOf: async (id: string): Promise<Uint8Array | null> => {
      const [row] = await db.orm((orm) =>
        orm.select({ hash: hashColumn }).from(feedback).where(eq(feedback.id, id)),
      )
      return row?.hash ?? null
    },
    /** Null for an unknown item or a refused transition. An empty reply removes the earlier one. */
    answer: async (
      id: string,
      { status, reply, by }: { status: FeedbackStatus | null; reply: string | null; by: string },
    ): Promise<Feedback | null> => {
      const from = status === null ? [] : whichFeedbackMayBecome(status)
      const [row] = await db.queryAs(Feedback, ANSWER, [id, status, reply, from, by])
      return row ?? null
    },
    /** Null where it may no longer be reworded. */
    reword: async (
      id: string,
      { message, editTokenHash }: { message: string; editTokenHash: string },
    ): Promise<Feedback | null> => {
      const open = FEEDBACK_STATUSES.filter(mayReword)
      const [row] = await db.queryAs(Feedback, REWORD, [id, message, editTokenHash, open])
      return row ?? null
    },
  }
}

export type FeedbackStore = ReturnType<typeof feedbackStore>
/** Counts items by status and category. */
export type CountFeedback = FeedbackStore['counts']
