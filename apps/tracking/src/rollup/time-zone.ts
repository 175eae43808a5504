import type { Database } from '@palanquin/db/client'

/** SQLSTATE invalid_parameter_value. */
const UNKNOWN_ZONE = '22023'

/**
 * Checks once that PostgreSQL knows the time zone of the aggregates. Otherwise every batch would look like bad data and be
 * set aside point by point; so the whole flush fails instead, and the buffer keeps all points.
 */
export function aggregateTimeZone(db: Database, name: string) {
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

export type AggregateTimeZone = ReturnType<typeof aggregateTimeZone>
