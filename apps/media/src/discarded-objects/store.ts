import type { Database, Row } from '@palanquin/db/client'

type KeyRow = Row & { object_key: string }

/** One pass of a sweep; what is left comes with the next. */
const KEYS_PER_PASS = 1_000

/** Objects that nothing refers to. All throw StoreUnavailable. */
export function discardedStore(db: Pick<Database, 'query'>) {
  return {
    /** Discarded keys of which the object store has not heard yet. */
    read: async (): Promise<string[]> => {
      const rows = await db.query<KeyRow>(
        `SELECT object_key FROM media.discarded_objects ORDER BY at LIMIT ${KEYS_PER_PASS}`,
      )
      return rows.map((row) => row.object_key)
    },
    forget: async (keys: readonly string[]): Promise<void> => {
      await db.query('DELETE FROM media.discarded_objects WHERE object_key = ANY($1::text[])', [keys])
    },
    /** Of these keys the ones that no screenshot and no photo has. */
    unknown: async (keys: readonly string[]): Promise<string[]> => {
      const rows = await db.query<KeyRow>(
        `SELECT object_key FROM unnest($1::text[]) AS given (object_key)
          WHERE NOT EXISTS (SELECT 1 FROM media.screenshots AS s WHERE s.object_key = given.object_key)
            AND NOT EXISTS (SELECT 1 FROM media.photos AS p WHERE p.object_key = given.object_key)`,
        [keys],
      )
      return rows.map((row) => row.object_key)
    },
  }
}

export type DiscardedStore = ReturnType<typeof discardedStore>
