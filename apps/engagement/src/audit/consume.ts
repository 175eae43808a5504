import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { applyOnce } from '@palanquin/events/once'

/** At the time at which it was done, not at which it was told. */
const NOTE = `
INSERT INTO engagement.audit (type, by, at, detail)
SELECT $2::text, $3::text, $4::text::timestamptz, $5::text::jsonb FROM fresh`

/**
 * Handler of `admin.acted`: what administrators did in a service that keeps no audit of its own, once each.
 * @throws StoreUnavailable: the event comes again
 */
export const auditActions =
  (db: Database) =>
  async ({ id, at, data: { action, by, detail } }: DomainEvent<'admin.acted'>): Promise<void> => {
    await applyOnce(db, {
      schema: 'engagement',
      eventId: id,
      effects: [NOTE],
      parameters: [action, by, at, JSON.stringify(detail)],
    })
  }
