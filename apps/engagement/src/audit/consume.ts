import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { applyOnce } from '@palanquin/events/once'

/** `at` is the time of the action, not of the event. */
const AUDIT = `
INSERT INTO engagement.audit (type, by, at, detail)
SELECT $2::text, $3::text, $4::text::timestamptz, $5::text::jsonb FROM fresh`

/** Audits actions in other services, once each. @throws StoreUnavailable */
export const auditActions =
  (db: Database) =>
  async ({ id, at, data: { action, by, detail } }: DomainEvent<'admin.acted'>): Promise<void> => {
    await applyOnce(db, {
      schema: 'engagement',
      eventId: id,
      effects: [AUDIT],
      parameters: [action, by, at, JSON.stringify(detail)],
    })
  }
