import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { lostCases } from '@palanquin/db/schema/engagement'
import { LostKind, type LostPatch, type LostPlace, LostStatus } from '@palanquin/domain/lost'
import type { Receipt } from '@palanquin/service/erasure-token'
import { and, desc, eq, getTableColumns, lt } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import { CHANGE, CLOSE_OWN, CREATE, DELETE, FORGET, NOTE_READ } from './sql.ts'

/** A whole case; `view.ts` decides who sees which fields. */
const LostCase = Type.Object({
  id: Type.String(),
  seq: Type.Integer(),
  kind: LostKind,
  about: Type.String(),
  phone: Nullable(Type.String()),
  lat: Nullable(Type.Number()),
  lng: Nullable(Type.Number()),
  photo: Nullable(Type.String()),
  userId: Nullable(Type.String()),
  status: LostStatus,
  takenBy: Nullable(Type.String()),
  notes: Nullable(Type.String()),
  reply: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  closedAt: Nullable(Timestamp),
})
export type LostCase = Static<typeof LostCase>

const Deleted = Type.Object({ id: Type.String() })

export type NewCase = {
  kind: LostKind
  about: string
  /** E.164. */
  phone: string | null
  place: LostPlace | null
  /** Candidate file names of the photo; empty for none. */
  photoNames: readonly string[]
  userId: string | null
  /** Of `userId`. */
  receipt: Receipt | null
  notes: string | null
  /** SHA-256 in hex; null where no reporter follows the case. */
  editTokenHash: string | null
  /** The organiser who enters it; null for a reporter. */
  by: string | null
}

/** Null matches all. */
export type LostFilter = { status: LostStatus | null; kind: LostKind | null }

const { editTokenHash: hashColumn, ...CASE } = getTableColumns(lostCases)

const matching = ({ status, kind }: LostFilter) =>
  and(status ? eq(lostCases.status, status) : undefined, kind ? eq(lostCases.kind, kind) : undefined)

/** Reads and writes of the cases. Ids must be UUIDs. All throw StoreUnavailable. */
export function lostStore(db: Database) {
  return {
    /** Null where there is no such photo, and nothing was stored. */
    create: async (input: NewCase): Promise<LostCase | null> => {
      const { kind, about, phone, place, photoNames, userId, receipt, notes, editTokenHash, by } = input
      const report = [kind, about, phone, place?.lat ?? null, place?.lng ?? null, photoNames]
      const [row] = await db.queryAs(LostCase, CREATE, [...report, userId, notes, editTokenHash, by, receipt])
      return row ?? null
    },
    read: async (id: string): Promise<LostCase | null> => {
      const [row] = await db.orm((orm) => orm.select(CASE).from(lostCases).where(eq(lostCases.id, id)))
      return row ?? null
    },
    /** At most `count` cases before a `seq` (null: from the newest), newest first. */
    page: (filter: LostFilter, { beforeSeq, count }: { beforeSeq: number | null; count: number }) =>
      db.orm((orm) =>
        orm
          .select(CASE)
          .from(lostCases)
          .where(and(matching(filter), beforeSeq === null ? undefined : lt(lostCases.seq, beforeSeq)))
          .orderBy(desc(lostCases.seq))
          .limit(count),
      ),
    total: (filter: LostFilter): Promise<number> => db.orm((orm) => orm.$count(lostCases, matching(filter))),
    /** The hash of the edit token; null for an unknown case, or one without a reporter. */
    hashOf: async (id: string): Promise<Uint8Array | null> => {
      const [row] = await db.orm((orm) =>
        orm.select({ hash: hashColumn }).from(lostCases).where(eq(lostCases.id, id)),
      )
      return row?.hash ?? null
    },
    /** Null for an unknown case. `phone` is E.164, `receipt` that of the patch's `userId`. */
    change: async (
      id: string,
      patch: LostPatch,
      { by, receipt }: Pick<NewCase, 'receipt'> & { by: string },
    ): Promise<LostCase | null> => {
      const [row] = await db.queryAs(LostCase, CHANGE, [id, JSON.stringify(patch), by, receipt])
      return row ?? null
    },
    /** Closed by its reporter; null for an unknown case. Closed already, it stays as it is. */
    closeOwn: async (id: string, editTokenHash: string): Promise<LostCase | null> => {
      const [row] = await db.queryAs(LostCase, CLOSE_OWN, [id, editTokenHash])
      return row ?? null
    },
    delete: async (id: string, by: string): Promise<boolean> =>
      (await db.queryAs(Deleted, DELETE, [id, by])).length > 0,
    /** Whole phone numbers of these cases were shown to an organiser. */
    noteRead: async (by: string, ids: readonly string[]): Promise<void> => {
      await db.query(NOTE_READ, [by, ids])
    },
    /** Deletes what is kept no longer. */
    forget: async (): Promise<void> => {
      await db.query(FORGET)
    },
  }
}

export type LostStore = ReturnType<typeof lostStore>
