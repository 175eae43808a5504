import type { messagingApi } from '@line/bot-sdk'
import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import Type from 'typebox'
import type { Personal } from './audience.ts'
import { BLOCKED, CLAIM, GIVE_BACK, GIVE_UP_REST, LATER, SETTLE } from './chunk-statements.ts'
import { MessagesColumn, PersonalColumn } from './rows.ts'

/** A chunk that this process has until its lease runs out. */
export type Chunk = {
  pushId: string
  chunk: number
  /** The users who get it now, and how many of it cannot be reached or stopped notifications. */
  userIds: string[]
  blocked: number
  skipped: number
  messages: readonly messagingApi.Message[]
  personal: Personal | null
  urgent: boolean
  /** How many the whole push has yet to go to, this chunk included; only this chunk's where it is urgent or personal. */
  outstanding: number
  /** How often it was taken, this time included. */
  attempts: number
  /** Since it was first taken. */
  ageS: number
}

export type Settlement = {
  sent?: number
  failed?: number
  blocked?: number
  skipped?: number
  requestId?: string | null
  reason?: string
}

/** A reason is for an organiser to read; LINE's own words may be long. */
const REASON_CHARACTERS_MAX = 300

const Claimed = Type.Object({
  pushId: Type.String(),
  chunk: Type.Integer(),
  userIds: Type.Array(Type.String()),
  blocked: Type.Integer(),
  skipped: Type.Integer(),
  messages: Nullable(MessagesColumn),
  personal: PersonalColumn,
  urgent: Type.Boolean(),
  outstanding: Type.Integer(),
  attempts: Type.Integer(),
  ageS: Type.Number(),
})

/** Chunks between being made and being settled. Every write is one statement; all throw StoreUnavailable. */
export function chunkStore(db: Pick<Database, 'query' | 'queryAs'>) {
  return {
    /** At most `count` chunks, for `leaseMs`; those of a process that crashed are due again after it. */
    claim: async (count: number, leaseMs: number): Promise<Chunk[]> => {
      const rows = await db.queryAs(Claimed, CLAIM, [count, leaseMs])
      return rows.map((row) => ({ ...row, messages: row.messages ?? [] }))
    },
    settle: async ({ pushId, chunk }: Chunk, outcome: Settlement): Promise<void> => {
      const { sent = 0, failed = 0, blocked = 0, skipped = 0, requestId, reason = '' } = outcome
      const words = reason.slice(0, REASON_CHARACTERS_MAX)
      await db.query(SETTLE, [pushId, chunk, sent, failed, blocked, skipped, requestId ?? '', words])
    },
    markBlocked: async ({ pushId, chunk }: Chunk, userId: string): Promise<void> => {
      await db.query(BLOCKED, [pushId, chunk, userId])
    },
    later: async ({ pushId, chunk }: Chunk, pauseMs: number, reason: string): Promise<void> => {
      await db.query(LATER, [pushId, chunk, pauseMs, reason])
    },
    giveBack: async ({ pushId, chunk }: Chunk, pauseMs: number): Promise<void> => {
      await db.query(GIVE_BACK, [pushId, chunk, pauseMs])
    },
    giveUpRest: async ({ pushId }: Chunk, reason: string): Promise<void> => {
      await db.query(GIVE_UP_REST, [pushId, reason])
    },
  }
}

export type ChunkStore = ReturnType<typeof chunkStore>
