import type { Database } from '@palanquin/db/client'

/** SQLSTATE invalid_parameter_value. */
const UNKNOWN_ZONE = '22023'

/**
 * Makes sure, once, that PostgreSQL knows the time zone of the aggregates. Where it does not, every batch would look
 * like bad data and be set aside point by point; so the flush fails as a whole, and the buffer keeps everything.
 */
export function aggregateZone(db: Database, name: string) {
  let known = false
  return {
    name,
    /** @throws StoreUnavailable */
    ensure: async (): Promise<void> => {
      if (known) return
      try {
        await db.query("SELECT date_trunc('hour', now(), $1)", [name])
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === UNKNOWN_ZONE)
          throw new Error(`PostgreSQL does not know the time zone ${name} (EVENT_TIMEZONE)`)
        throw error
      }
      known = true
    },
  }
}

export type AggregateZone = ReturnType<typeof aggregateZone>
