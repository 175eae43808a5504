/**
 * Orders of the list, each with its indexes (migration 0004). Each participant is in exactly one branch of an order:
 * rows of participants p (perhaps with a track t), or rows of tracks t (with p). Keys are compared before user ids.
 */
export type Branch = {
  of: 'participants' | 'tracks'
  key: string
  /** Rows that belong to the other branch. */
  except?: string
}

export type Order = {
  /** PostgreSQL type of the keys, with its least and greatest value. */
  type: 'timestamptz' | 'float8' | 'integer' | 'text'
  least: string
  greatest: string
  branches: readonly [Branch, ...Branch[]]
  /** Key of an unregistered participant, whose points may have come just now. */
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

/** Orders by the names of the fields that items show. */
const FIELDS = {
  displayName: 'name',
  distanceKm: 'distance',
  lastSeenAt: 'lastSeen',
} as const satisfies Record<string, OrderName>

/** Values of `sort`; `-` reverses the order. */
export const SORTS = Object.keys(ORDERS).flatMap((name) => [name, `-${name}`])
/** Values of `sort` and the names of fields. */
export const SORT_WORDS = [...SORTS, ...Object.keys(FIELDS).flatMap((name) => [name, `-${name}`])]

/** Format of a key in a cursor, as PostgreSQL writes it, so that it is exact. */
export const KEY_PATTERN = {
  timestamptz:
    '^(infinity|\\d{4,6}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?[+-]\\d\\d(:\\d\\d){0,2})$',
  float8: '^\\d{1,9}(\\.\\d{1,20})?(e-\\d{1,3})?$',
  integer: '^\\d{1,9}$',
  text: '',
} as const satisfies Record<Order['type'], string>

/** Parses `sort`; null if unknown. */
export function orderOf(sort: string): { name: OrderName; isDescending: boolean } | null {
  const isDescending = sort.startsWith('-')
  const word = sort.slice(isDescending ? 1 : 0)
  const name = Object.entries(FIELDS).find(([field]) => field === word)?.[1] ?? word
  return isOrderName(name) ? { name, isDescending } : null
}

const isOrderName = (name: string | undefined): name is OrderName =>
  name !== undefined && Object.hasOwn(ORDERS, name)
