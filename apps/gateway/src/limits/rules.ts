/** What a rule counts by: the caller's `userId`, client address or token. */
export type Scope = 'user' | 'address' | 'token'

export type Rule = {
  readonly scope: Scope
  /** Calls that may be let through in any `windowMs`. */
  readonly limit: number
  readonly windowMs: number
  /** Counted for each route by itself instead of over all of them. */
  readonly perRoute?: true
  /** No RateLimit headers: its answers are the same bytes for everybody, and may be kept by anybody. */
  readonly silent?: true
}

const MINUTE_MS = 60_000

/** Contract section 1, "Rate limits"; those by address are `PUBLIC_WRITE_LIMIT`, `PUBLIC_READ_LIMIT` and `PAGE_READ_LIMIT`. */
export const rulesOf = ({ writesByAddress, readsByAddress, pages }: Record<AddressRule, number>) =>
  ({
    checkin: { scope: 'user', limit: 5, windowMs: MINUTE_MS },
    submit: { scope: 'user', limit: 2, windowMs: 10 * MINUTE_MS },
    trackSync: { scope: 'user', limit: 10, windowMs: MINUTE_MS },
    admin: { scope: 'token', limit: 30, windowMs: MINUTE_MS },
    guesses: { scope: 'address', limit: 60, windowMs: MINUTE_MS },
    writesByUser: { scope: 'user', limit: 30, windowMs: MINUTE_MS, perRoute: true },
    writesByAddress: { scope: 'address', limit: writesByAddress, windowMs: MINUTE_MS },
    readsByAddress: { scope: 'address', limit: readsByAddress, windowMs: MINUTE_MS },
    pages: { scope: 'address', limit: pages, windowMs: MINUTE_MS, silent: true },
  }) as const satisfies Record<string, Rule>

type AddressRule = 'writesByAddress' | 'readsByAddress' | 'pages'
export type Rules = ReturnType<typeof rulesOf>
export type LimitName = keyof Rules

/** How high the limits are makes no difference to what they count by. */
const ANY_HEIGHT = rulesOf({ writesByAddress: 1, readsByAddress: 1, pages: 1 })

export const isByAddress = (name: LimitName): boolean => ANY_HEIGHT[name].scope === 'address'

export const WRITES_BY_ADDRESS_DEFAULT = 1_200
export const READS_BY_ADDRESS_DEFAULT = 6_000
export const PAGES_BY_ADDRESS_DEFAULT = 60_000
