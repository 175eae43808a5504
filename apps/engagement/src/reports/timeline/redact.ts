/** Fields of an event's detail that name participants. */
const NAMING_FIELDS = new Set(['userId', 'userIds', 'displayName', 'phone'])

/** A detail without fields that name participants, at any depth; details never contain people's texts. */
export function withoutNames(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([name]) => !NAMING_FIELDS.has(name))
      .map(([name, value]) => [name, isFields(value) ? withoutNames(value) : value]),
  )
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
