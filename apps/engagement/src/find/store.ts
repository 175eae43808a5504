import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { LostKind, LostStatus } from '@palanquin/domain/lost'
import Type, { type Static } from 'typebox'
import { findStatement, NOTE_SEARCH, OPEN_CASES } from './sql.ts'

/** Searching for one frequent character takes tenths of a second at 300,000 participants, more on a busy machine. */
const DEADLINE_MS = 8_000

const FoundRow = Type.Object({
  userId: Type.String(),
  displayName: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  hasWithdrawn: Type.Boolean(),
})
export type FoundRow = Static<typeof FoundRow>

const OpenCase = Type.Object({
  userId: Type.String(),
  id: Type.String(),
  kind: LostKind,
  status: LostStatus,
  about: Type.String(),
  takenBy: Nullable(Type.String()),
  createdAt: Timestamp,
})
export type OpenCase = Static<typeof OpenCase>

/** An entry of the audit: why, what was asked without whole phone numbers, and who was shown. */
export type Search = { reason: string; asked: string; userIds: readonly string[] }

/** Reads and the one write of a search. All throw StoreUnavailable. */
export function findStore(db: Database) {
  return {
    /** The best matches, at most one more than are shown. */
    search: async (q: string): Promise<FoundRow[]> => {
      const { text, parameters } = findStatement(q)
      return db.queryAs(FoundRow, text, parameters, { deadlineMs: DEADLINE_MS })
    },
    /** Open cases about these participants, by user id. */
    openCases: async (userIds: readonly string[]): Promise<ReadonlyMap<string, OpenCase[]>> => {
      if (userIds.length === 0) return new Map()
      return Map.groupBy(await db.queryAs(OpenCase, OPEN_CASES, [userIds]), ({ userId }) => userId)
    },
    noteSearch: async (by: string, search: Search): Promise<void> => {
      await db.query(NOTE_SEARCH, [by, JSON.stringify(search)])
    },
  }
}

export type FindStore = ReturnType<typeof findStore>
