/** Fields of an event's detail that name participants, or may. */
const NAMING_FIELDS = new Set(['userId', 'userIds', 'displayName', 'phone', 'asked', 'reason'])

/** A detail without fields that name participants, at any depth, or have the words of a search; it has no other texts of people. */
export function withoutNames(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([name]) => !NAMING_FIELDS.has(name))
      .map(([name, value]) => [name, isFields(value) ? withoutNames(value) : value]),
  )
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
