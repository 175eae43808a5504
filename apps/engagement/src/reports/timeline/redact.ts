/** Fields of an event's detail that name participants. */
const NAMES = new Set(['userId', 'userIds', 'displayName', 'phone'])

/** A detail without what names participants, at any depth; texts of people are left out by whoever writes a detail. */
export function impersonal(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([name]) => !NAMES.has(name))
      .map(([name, value]) => [name, isFields(value) ? impersonal(value) : value]),
  )
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
