import type { LevelKm } from '@palanquin/domain/level'
import Type, { type Static } from 'typebox'
import { conditions, type Filter, unregisteredConditions } from './filter.ts'
import { type Branch, ORDERS, type Order, type OrderName } from './order.ts'
import { Statement } from './statement.ts'

/** A page begins after this key, and after this user id among equal keys. */
export const Position = Type.Object({ key: Type.String(), userId: Type.String() })
export type Position = Static<typeof Position>

export type PageQuery = {
  filter: Filter
  order: OrderName
  isDescending: boolean
  after: Position | null
  /** Rows at most. */
  count: number
  unregistered: readonly string[]
}

const PARTICIPANTS = 'engagement.participants AS p LEFT JOIN tracking.tracks AS t ON t.user_id = p.user_id'
const TRACKS = 'tracking.tracks AS t JOIN engagement.participants AS p ON p.user_id = t.user_id'
/** Unregistered user ids, with a track or without. */
const unregisteredFrom = (userIds: string): string =>
  `unnest(${userIds}::text[]) AS s (user_id) LEFT JOIN tracking.tracks AS t ON t.user_id = s.user_id
   LEFT JOIN engagement.participants AS p ON p.user_id = s.user_id`
const NO_ROW = 'p.user_id IS NULL'

/**
 * Selects user ids and keys of a page. Each branch reads its own index no further than the page needs, the second one
 * only up to the end of a page that the first one fills.
 */
export function pageStatement(
  { filter, order, isDescending, after, count, unregistered }: PageQuery,
  levelKm: LevelKm,
): Statement & { text: string } {
  const statement = new Statement()
  const orderBy: Order = ORDERS[order]
  const { type, least, greatest, unregisteredKey } = orderBy
  const direction = isDescending ? 'DESC' : 'ASC'
  const limit = statement.parameter(count)
  const [isAfter, notBefore, edge] = isDescending ? ['<', '<=', '>='] : ['>', '>=', '<=']
  const position = after && {
    key: `${statement.parameter(after.key)}::text::${type}`,
    userId: statement.parameter(after.userId),
  }
  const filtered = conditions(filter, statement, levelKm)

  const select = (from: string, id: string, key: string, where: readonly string[]): string => {
    // The first condition lets the planner skip a branch with a constant key.
    const afterPosition = position
      ? [
          `${key} ${notBefore} ${position.key}`,
          `(${key}, ${id}) ${isAfter} (${position.key}, ${position.userId})`,
        ]
      : []
    const conditions = [...where, ...afterPosition]
    return `SELECT ${key} AS key, ${id} AS user_id FROM ${from}
      ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY ${key} ${direction}, ${id} ${direction} LIMIT ${limit}`
  }
  const branch = ({ of, key, except }: Branch, more: readonly string[] = []): string =>
    select(
      of === 'participants' ? PARTICIPANTS : TRACKS,
      of === 'participants' ? 'p.user_id' : 't.user_id',
      key,
      [...(except ? [except] : []), ...filtered, ...more],
    )

  const [first, ...others] = orderBy.branches
  const full = `coalesce((SELECT key FROM first ORDER BY key ${direction}, user_id ${direction} OFFSET ${limit}::bigint - 1), ${isDescending ? least : greatest}::${type})`
  const parts = ['SELECT key, user_id FROM first']
  for (const other of others) parts.push(`(${branch(other, [`${other.key} ${edge} ${full}`])})`)
  const unregisteredWhere =
    unregistered.length > 0 ? unregisteredConditions(filter, statement, levelKm) : null
  if (unregisteredWhere) {
    const from = unregisteredFrom(statement.parameter(unregistered))
    parts.push(`(${select(from, 's.user_id', unregisteredKey, [NO_ROW, ...unregisteredWhere])})`)
  }
  const text = `WITH first AS (${branch(first)})
SELECT key::text AS key, user_id AS "userId" FROM (${parts.join('\nUNION ALL\n')}) AS page
ORDER BY page.key ${direction}, page.user_id ${direction} LIMIT ${limit}`
  return Object.assign(statement, { text })
}

/** Counts matching participants, the unregistered ones too. */
export function totalStatement(
  filter: Filter,
  { unregistered, levelKm }: { unregistered: readonly string[]; levelKm: LevelKm },
): Statement & { text: string } {
  const statement = new Statement()
  const where = (all: readonly string[]) => (all.length > 0 ? `WHERE ${all.join(' AND ')}` : '')
  let text = `SELECT (SELECT count(*) FROM ${PARTICIPANTS} ${where(conditions(filter, statement, levelKm))})`
  const unregisteredWhere =
    unregistered.length > 0 ? unregisteredConditions(filter, statement, levelKm) : null
  if (unregisteredWhere)
    text += ` + (SELECT count(*) FROM ${unregisteredFrom(statement.parameter(unregistered))} ${where([NO_ROW, ...unregisteredWhere])})`
  return Object.assign(statement, { text: `${text} AS total` })
}
