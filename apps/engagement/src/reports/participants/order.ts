/**
 * The orders in which organisers may read the list, each with the indexes behind it (migration 0004). Everybody stands
 * in exactly one branch of an order: `participants` are rows of people (p, perhaps with a track t), `tracks` are rows of
 * tracks (t, with p). Keys are compared before user ids, so that a position is exact.
 */
export type Branch = {
  of: 'participants' | 'tracks'
  key: string
  /** Whom this branch leaves to the other one. */
  except?: string
}

export type Order = {
  /** The PostgreSQL type of the keys, and the least and the greatest of it. */
  type: 'timestamptz' | 'float8' | 'integer' | 'text'
  least: string
  greatest: string
  branches: readonly [Branch, ...Branch[]]
  /** The key of somebody who has no row of their own yet, and perhaps no track: then their points came just now. */
  unregisteredKey: string
}

const DISTANCE = 't.walked_km + t.motorized_km'
const WITHOUT_TRACK = { of: 'participants', except: 't.user_id IS NULL' } as const
const NAME = 'engagement.name_key(p.display_name) COLLATE "C"'

export const ORDERS = {
  createdAt: {
    type: 'timestamptz',
    least: "'-infinity'",
    greatest: "'infinity'",
    branches: [{ of: 'participants', key: 'p.created_at' }],
    unregisteredKey: "'infinity'::timestamptz",
  },
  name: {
    type: 'text',
    least: "''",
    greatest: "U&'\\+10FFFF'",
    branches: [{ of: 'participants', key: NAME }],
    unregisteredKey: NAME,
  },
  distance: {
    type: 'float8',
    least: "'-infinity'",
    greatest: "'infinity'",
    branches: [
      { of: 'tracks', key: DISTANCE },
      { ...WITHOUT_TRACK, key: '0::float8' },
    ],
    unregisteredKey: `coalesce(${DISTANCE}, 0)`,
  },
  checkins: {
    type: 'integer',
    least: '-1',
    greatest: '2147483647',
    branches: [
      { of: 'tracks', key: 't.checkins' },
      { ...WITHOUT_TRACK, key: '0::integer' },
    ],
    unregisteredKey: 'coalesce(t.checkins, 0)',
  },
  lastSeen: {
    type: 'timestamptz',
    least: "'-infinity'",
    greatest: "'infinity'",
    branches: [
      { of: 'tracks', key: 't.last_seen_at', except: 't.last_seen_at >= p.updated_at' },
      {
        of: 'participants',
        key: 'p.updated_at',
        except: "p.updated_at > coalesce(t.last_seen_at, '-infinity')",
      },
    ],
    unregisteredKey: "coalesce(t.last_seen_at, 'infinity')",
  },
} as const satisfies Record<string, Order>

export type OrderName = keyof typeof ORDERS

/** The orders by the names of the fields that they go by, as items show them: who reads a list sorts by what is in it. */
const FIELDS = {
  displayName: 'name',
  distanceKm: 'distance',
  lastSeenAt: 'lastSeen',
} as const satisfies Record<string, OrderName>

/** What `sort` takes: an order by its name, or with `-` before it from the other end. */
export const SORTS = Object.keys(ORDERS).flatMap((name) => [name, `-${name}`])
/** The same with the names of fields. */
export const SORT_WORDS = [...SORTS, ...Object.keys(FIELDS).flatMap((name) => [name, `-${name}`])]

/** How a key is written in a cursor: as PostgreSQL writes it, so that it comes back exactly. */
export const KEY_PATTERN = {
  timestamptz:
    '^(infinity|\\d{4,6}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?[+-]\\d\\d(:\\d\\d){0,2})$',
  float8: '^\\d{1,9}(\\.\\d{1,20})?(e-\\d{1,3})?$',
  integer: '^\\d{1,9}$',
  text: '',
} as const satisfies Record<Order['type'], string>

/** The order and the direction that `sort` names; null if it names none. */
export function orderOf(sort: string): { name: OrderName; isDescending: boolean } | null {
  const isDescending = sort.startsWith('-')
  const word = sort.slice(isDescending ? 1 : 0)
  const name = Object.entries(FIELDS).find(([field]) => field === word)?.[1] ?? word
  return isOrderName(name) ? { name, isDescending } : null
}

const isOrderName = (name: string | undefined): name is OrderName =>
  name !== undefined && Object.hasOwn(ORDERS, name)
