import type { LevelKm } from '@palanquin/domain/rank'
import { conditions, type Filter, unregisteredConditions } from './filter.ts'
import { type Branch, ORDERS, type Order, type OrderName } from './order.ts'
import { Statement } from './statement.ts'

/** Where a page begins: behind this key of the order, and behind this user id among equal keys. */
export type Position = { key: string; userId: string }

export type PageQuery = {
  filter: Filter
  order: OrderName
  isDescending: boolean
  after: Position | null
  /** How many rows at most. */
  count: number
  strangers: readonly string[]
}

const PARTICIPANTS = 'engagement.participants AS p LEFT JOIN tracking.tracks AS t ON t.user_id = p.user_id'
const TRACKS = 'tracking.tracks AS t JOIN engagement.participants AS p ON p.user_id = t.user_id'
/** Those of the strangers who have no row by now, with a track or without. */
const unregisteredFrom = (userIds: string): string =>
  `unnest(${userIds}::text[]) AS s (user_id) LEFT JOIN tracking.tracks AS t ON t.user_id = s.user_id
   LEFT JOIN engagement.participants AS p ON p.user_id = s.user_id`
const NO_ROW = 'p.user_id IS NULL'

/**
 * The user ids of a page and their keys, in order. Each branch walks its own index no further than the page needs; the
 * second one no further than where a page that is full already ends.
 */
export function pageStatement(
  { filter, order, isDescending, after, count, strangers }: PageQuery,
  levelKm: LevelKm,
): Statement & { text: string } {
  const statement = new Statement()
  const wanted: Order = ORDERS[order]
  const { type, least, greatest, unregisteredKey } = wanted
  const direction = isDescending ? 'DESC' : 'ASC'
  const limit = statement.parameter(count)
  const [behind, notBefore, edge] = isDescending ? ['<', '<=', '>='] : ['>', '>=', '<=']
  const position = after && {
    key: `${statement.parameter(after.key)}::text::${type}`,
    userId: statement.parameter(after.userId),
  }
  const filtered = conditions(filter, statement, levelKm)

  const select = (from: string, id: string, key: string, where: readonly string[]): string => {
    // The first of the two is for the planner: of a constant key it knows then that there is nothing.
    const behindPosition = position
      ? [
          `${key} ${notBefore} ${position.key}`,
          `(${key}, ${id}) ${behind} (${position.key}, ${position.userId})`,
        ]
      : []
    const conditions = [...where, ...behindPosition]
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

  const [first, ...others] = wanted.branches
  const full = `coalesce((SELECT key FROM first ORDER BY key ${direction}, user_id ${direction} OFFSET ${limit}::bigint - 1), ${isDescending ? least : greatest}::${type})`
  const parts = ['SELECT key, user_id FROM first']
  for (const other of others) parts.push(`(${branch(other, [`${other.key} ${edge} ${full}`])})`)
  const unregisteredWhere = strangers.length > 0 ? unregisteredConditions(filter, statement, levelKm) : null
  if (unregisteredWhere) {
    const from = unregisteredFrom(statement.parameter(strangers))
    parts.push(`(${select(from, 's.user_id', unregisteredKey, [NO_ROW, ...unregisteredWhere])})`)
  }
  const text = `WITH first AS (${branch(first)})
SELECT key::text AS key, user_id AS "userId" FROM (${parts.join('\nUNION ALL\n')}) AS page
ORDER BY page.key ${direction}, page.user_id ${direction} LIMIT ${limit}`
  return Object.assign(statement, { text })
}

/** How many people match, those without a row of their own among them. */
export function totalStatement(
  filter: Filter,
  { strangers, levelKm }: { strangers: readonly string[]; levelKm: LevelKm },
): Statement & { text: string } {
  const statement = new Statement()
  const where = (all: readonly string[]) => (all.length > 0 ? `WHERE ${all.join(' AND ')}` : '')
  let text = `SELECT (SELECT count(*) FROM ${PARTICIPANTS} ${where(conditions(filter, statement, levelKm))})`
  const unregisteredWhere = strangers.length > 0 ? unregisteredConditions(filter, statement, levelKm) : null
  if (unregisteredWhere)
    text += ` + (SELECT count(*) FROM ${unregisteredFrom(statement.parameter(strangers))} ${where([NO_ROW, ...unregisteredWhere])})`
  return Object.assign(statement, { text: `${text} AS total` })
}
