import type { Database } from '@palanquin/db/client'

/** Bounds one publication: an event of the largest kind has some 100 kB, and Redis does nothing else meanwhile. */
const BATCH_ROWS_MAX = 50

export type OutboxRow = {
  seq: number
  id: string
  type: string
  at: string
  /** JSON text, as it goes out. */
  data: string
}

const arrayOf = (seqs: readonly string[]): string => `{${seqs.join()}}`

/** The outbox table of a schema: rows that were inserted together with the change they report. */
export function outboxOf(db: Pick<Database, 'query'>, schema: string) {
  return {
    hasRows: async (): Promise<boolean> =>
      (await db.query(`SELECT 1 AS there FROM ${schema}.outbox LIMIT 1`)).length > 0,
    /** The oldest rows but those (by `seq`), in order. */
    read: (but: readonly string[]): Promise<OutboxRow[]> =>
      db.query<OutboxRow>(
        `SELECT seq, id, type, data::text AS data,
                to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
           FROM ${schema}.outbox WHERE seq <> ALL($1::text::bigint[]) ORDER BY seq LIMIT ${BATCH_ROWS_MAX}`,
        [arrayOf(but)],
      ),
    remove: async (seqs: readonly string[]): Promise<void> => {
      await db.query(`DELETE FROM ${schema}.outbox WHERE seq = ANY($1::text::bigint[])`, [arrayOf(seqs)])
    },
  }
}
