import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Database } from './client.ts'

/** Wants a new file and a page of it, which a full disk refuses, and leaves nothing behind. */
const WRITE = 'CREATE TEMPORARY TABLE palanquin_probe ON COMMIT DROP AS SELECT 1 AS written'
/** No space, no memory, a server that only reads. */
const REFUSED = /^(53...|25006)$/

/** Whether PostgreSQL takes writes: a full disk and a standby answer reads as ever. */
export function writeProbe(db: Database) {
  let refusal: Error | undefined
  return {
    /** Writes something, for a schedule; never rejects. */
    run: async (): Promise<void> => {
      refusal = await db.query(WRITE).then(() => undefined, refusalOf)
    },
    /** Rejects when PostgreSQL does not answer, or refused the last write. */
    ping: async (): Promise<void> => {
      await db.ping()
      if (refusal) throw refusal
    },
  }
}

/** A user without the right to temporary tables, or a server that is away, says nothing of writes. */
function refusalOf(error: unknown): Error | undefined {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof Error && 'code' in cause && REFUSED.test(String(cause.code)) ? cause : undefined
}
