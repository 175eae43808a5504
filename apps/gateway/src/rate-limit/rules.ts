/**
 * What a rule counts by: the caller's `userId`, client address or token. Who has proven who they are is counted by that in the
 * place of the address.
 */
export type Scope = 'user' | 'address' | 'token'

export type Rule = {
  readonly scope: Scope
  /** Admitted at most in any `windowMs`. */
  readonly limit: number
  readonly windowMs: number
  /**
   * What takes a place: each call (left out), each byte of a body, or each unregistered participant. The last two count what
   * a service accepted.
   */
  readonly of?: 'bytes' | 'participants'
  /** Counted for each route by itself instead of over all of them. */
  readonly perRoute?: true
  /** No RateLimit headers: its responses are the same bytes for every client, for shared caches. */
  readonly silent?: true
  /** Counts only reads whose response is made for them alone: with a `bbox`, a `limit` or a token. */
  readonly only?: 'mapQueries'
  /** The error, where it is not about too many requests. */
  readonly apiError?: string
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The limits that an operator sets, each by an environment variable. */
export type ConfigurableLimits = {
  /** `PUBLIC_WRITE_LIMIT` */
  writesByAddress: number
  /** `PUBLIC_READ_LIMIT` */
  readsByAddress: number
  /** `MAP_QUERY_LIMIT` */
  mapQueries: number
  /** `NEW_PARTICIPANT_LIMIT` */
  newParticipants: number
  /** `PAGE_READ_LIMIT` */
  pages: number
  /** `SESSION_LIMIT` */
  sessions: number
  /** `LOST_LIMIT` */
  lostReports: number
  /** `FIND_LIMIT` */
  finds: number
}

export const DEFAULT_LIMITS: ConfigurableLimits = {
  writesByAddress: 1_200,
  readsByAddress: 6_000,
  mapQueries: 120,
  newParticipants: 6_000,
  pages: 60_000,
  sessions: 600,
  lostReports: 30,
  finds: 120,
}

/** Counted once it is known that they are wrong: a right one never has to wait for them. */
const WRONG_CREDENTIALS = { scope: 'address', limit: 60, windowMs: MINUTE_MS } as const
/** Of admin tokens, ID tokens, session cookies, recovery codes, and write tokens of phone apps. */
export type Guess = 'guesses' | 'idTokenGuesses' | 'sessionGuesses' | 'recoveryCodeGuesses' | 'unknownTokens'

/** Contract section 1, "Rate limits". */
export const rulesOf = ({
  writesByAddress,
  readsByAddress,
  mapQueries,
  newParticipants,
  pages,
  sessions,
  lostReports,
  finds,
}: ConfigurableLimits) =>
  ({
    checkin: { scope: 'user', limit: 5, windowMs: MINUTE_MS },
    submit: { scope: 'user', limit: 2, windowMs: 10 * MINUTE_MS },
    trackSync: { scope: 'user', limit: 10, windowMs: MINUTE_MS },
    admin: { scope: 'token', limit: 30, windowMs: MINUTE_MS },
    guesses: WRONG_CREDENTIALS,
    idTokenGuesses: WRONG_CREDENTIALS,
    sessionGuesses: WRONG_CREDENTIALS,
    recoveryCodeGuesses: WRONG_CREDENTIALS,
    unknownTokens: WRONG_CREDENTIALS,
    deviceRequests: { scope: 'token', limit: 1_200, windowMs: MINUTE_MS },
    devicePoints: { scope: 'token', limit: 20_000, windowMs: MINUTE_MS },
    writesByUser: { scope: 'user', limit: 30, windowMs: MINUTE_MS, perRoute: true },
    writesByAddress: { scope: 'address', limit: writesByAddress, windowMs: MINUTE_MS },
    readsByAddress: { scope: 'address', limit: readsByAddress, windowMs: MINUTE_MS },
    sessions: { scope: 'address', limit: sessions, windowMs: HOUR_MS },
    lostReports: {
      scope: 'address',
      limit: lostReports,
      windowMs: HOUR_MS,
      apiError: 'Too many reports came from this network; please call 119 or 110.',
    },
    finds: {
      scope: 'token',
      limit: finds,
      windowMs: HOUR_MS,
      apiError: 'Too many searches for people by this administrator.',
    },
    pages: { scope: 'address', limit: pages, windowMs: MINUTE_MS, silent: true },
    mapQueries: { scope: 'address', limit: mapQueries, windowMs: MINUTE_MS, only: 'mapQueries' },
    writtenBytes: {
      scope: 'address',
      limit: 20_000_000,
      windowMs: DAY_MS,
      of: 'bytes',
      apiError: 'Too much text came from this network today.',
    },
    newParticipants: {
      scope: 'address',
      limit: newParticipants,
      windowMs: HOUR_MS,
      of: 'participants',
      apiError: 'Too many new participants came from this network.',
    },
  }) as const satisfies Record<string, Rule>

export type Rules = ReturnType<typeof rulesOf>
export type LimitName = keyof Rules

/** What a rule counts does not depend on how high it is. */
const DEFAULT_RULES: Readonly<Record<LimitName, Rule>> = rulesOf(DEFAULT_LIMITS)

/** Whether every call of a route with this rule needs the client's address. A participant is new only once. */
export const isByAddress = (name: LimitName): boolean =>
  DEFAULT_RULES[name].scope === 'address' && DEFAULT_RULES[name].of !== 'participants'
