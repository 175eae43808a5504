import type { Database, Parameter } from '@palanquin/db/client'

/** A week longer than an event can be in the stream (`RETENTION_MS`). */
const PROCESSED_DAYS = 14
/** Keeps one statement short. */
const FORGET_ROWS_MAX = 20_000

export type Once = {
  schema: 'tracking' | 'engagement' | 'media' | 'line'
  /** The event's id; `$1` in the effects. */
  eventId: string
  /** Data-modifying statements that take their rows `FROM fresh`: one row the first time, none ever after. */
  effects: readonly string[]
  /** `$2`, `$3` … */
  parameters?: readonly Parameter[]
}

/** Makes the effects of an event once, in one statement with its id. @returns whether this was the first time */
export async function applyOnce(
  db: Pick<Database, 'query'>,
  { schema, eventId, effects, parameters = [] }: Once,
): Promise<boolean> {
  const rows = await db.query(onceStatement({ schema, effects }), [eventId, ...parameters])
  return rows.length > 0
}

/** The statement of `applyOnce`, for a caller that wants to add to it. */
export function onceStatement({ schema, effects }: Pick<Once, 'schema' | 'effects'>): string {
  for (const effect of effects)
    if (!/\bfresh\b/i.test(effect))
      throw new TypeError('an effect that does not read FROM fresh happens every time')
  return [
    `WITH fresh AS (INSERT INTO ${schema}.processed_events (event_id) VALUES ($1)`,
    `ON CONFLICT DO NOTHING RETURNING event_id)`,
    ...effects.map((effect, index) => `, effect_${index} AS (${effect})`),
    'SELECT event_id FROM fresh',
  ].join('\n')
}

/** Forgets events that cannot come again. @returns how many */
export async function forgetProcessed(
  db: Pick<Database, 'query'>,
  schema: Once['schema'],
  { days = PROCESSED_DAYS } = {},
): Promise<number> {
  let forgotten = 0
  for (;;) {
    const rows = await db.query(
      `DELETE FROM ${schema}.processed_events WHERE event_id IN (
         SELECT event_id FROM ${schema}.processed_events WHERE at < now() - make_interval(days => $1)
         LIMIT ${FORGET_ROWS_MAX}) RETURNING 1 AS gone`,
      [days],
    )
    forgotten += rows.length
    if (rows.length < FORGET_ROWS_MAX) return forgotten
  }
}
