/** What is left of an event's data without a participant. */
export type Remainder = 'untouched' | 'nothing' | { data: unknown }

/** In place of an administrator who was erased. */
export const ERASED_ACTOR = 'erased'

type Fields = Record<string, unknown>

/** An event about them alone is left out as a whole; what is about others too stays without them. */
export function withoutParticipant(type: string, data: unknown, userId: string): Remainder {
  if (!isFields(data)) return 'untouched'
  if (data.userId === userId) return 'nothing'
  if (type === 'track.advanced') return withoutTotals(data, userId)
  const rest = type === 'admin.acted' ? withoutMention(data, userId) : 'untouched'
  return withoutActor(rest, data, userId)
}

/** That it was done stays known; that an administrator who was erased did it does not. */
function withoutActor(rest: Remainder, data: Fields, userId: string): Remainder {
  if (data.by !== userId) return rest
  const left = typeof rest === 'object' && isFields(rest.data) ? rest.data : data
  return { data: { ...left, by: ERASED_ACTOR } }
}

function withoutTotals(data: Fields, userId: string): Remainder {
  if (!Array.isArray(data.participants)) return 'untouched'
  const all: unknown[] = data.participants
  const others = all.filter((one) => !(isFields(one) && one.userId === userId))
  if (others.length === all.length) return 'untouched'
  return others.length === 0 ? 'nothing' : { data: { ...data, participants: others } }
}

/** That something was done stays known; to whom does not. */
function withoutMention(data: Fields, userId: string): Remainder {
  const { detail } = data
  if (!isFields(detail)) return 'untouched'
  const { userId: named, userIds: list, ...rest } = detail
  const many: unknown[] = Array.isArray(list) ? list : []
  if (named !== userId && !many.includes(userId)) return 'untouched'
  return {
    data: {
      ...data,
      detail: {
        ...rest,
        ...(named === undefined || named === userId ? {} : { userId: named }),
        ...(list === undefined ? {} : { userIds: many.filter((one) => one !== userId) }),
      },
    },
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
