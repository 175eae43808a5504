import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import { type LimitHeaders, NO_LIMIT_HEADERS } from '../response.ts'
import type { Route } from '../route.ts'
import { type Claim, type Counted, type Counters, claimsOf, personId } from './claims.ts'
import { type CallOutcome, outcomeOf } from './outcome.ts'
import { FEW } from './redis/window-script.ts'
import type { Guess, Rule } from './rules.ts'
import type { Subject, Verdict } from './verdict.ts'

/** A request that all its rules admit, with the headers of the tightest. `settle` takes the status of its response. */
export type Admitted = { headers: LimitHeaders; settle?: (status: number) => void }
/**
 * The same without a wait. The response waits for `kept`: then the places outlive this process. `settle` is to be called once;
 * `isNew` says whether the service knew the participant, and `giveBack` takes the places of a call back that was not made.
 */
export type AdmittedNow = {
  headers: LimitHeaders
  kept: Promise<void> | undefined
  settle: (status: number, isNew: boolean) => void
  giveBack: () => void
}
/** Or the error of one of them. */
export type Limited = Admitted | ApiError

export type RateLimit = {
  /**
   * A request of a phone app with so many points, by the hash of its write token; `isNearLimit` once two thirds of its
   * requests of a minute are gone.
   */
  device: (hash: string, points: number) => Promise<{ allowed: boolean; isNearLimit: boolean }>
  /** The rule of admin tokens, right after the token was verified. */
  admin: (token: string) => Promise<Limited>
  /** The rules of the route, by address first, then by user; an administrator's request is counted by some of them. */
  caller: (route: Route, counted: Counted) => Promise<Limited> | Limited
  /** The same at once, where every rule has a place and knows it; else undefined, and nothing is counted. */
  callerNow: (route: Route, counted: Counted) => AdmittedNow | undefined
  /** Counts a wrong credential of an address: the headers of its 401, or the 429 in its place. */
  wrong: (kind: Guess, client: string) => Promise<Limited>
  /** Whether the next wrong credential of an address would be a 429. */
  isSpent: (kind: Guess, client: string) => Promise<boolean>
  /** A new device of an address, or a failed proof at a sign-in. */
  signIn: (client: string) => Promise<Limited>
  /** A sign-in of somebody who has proven who they are. */
  signInOf: (userId: string) => Promise<Limited>
  /** What the gateway serves itself: its state, its document, a 404. By address, or by who has proven themselves. */
  read: (id: string) => Promise<Limited>
  /** The pages and their assets. */
  page: (id: string) => Promise<Limited>
  /** The same where there is a place at hand; else false, and nothing is counted. */
  pageNow: (id: string) => boolean
}

const UNLIMITED: Admitted = { headers: NO_LIMIT_HEADERS }

/** `RATE_LIMITS=off`, for benchmarks: everything is admitted. */
export const noRateLimit: RateLimit = {
  device: async () => ({ allowed: true, isNearLimit: false }),
  admin: async () => UNLIMITED,
  caller: () => UNLIMITED,
  callerNow: () => ({ ...UNLIMITED, kept: undefined, settle: () => {}, giveBack: () => {} }),
  wrong: async () => UNLIMITED,
  isSpent: async () => false,
  signIn: async () => UNLIMITED,
  signInOf: async () => UNLIMITED,
  read: async () => UNLIMITED,
  page: async () => UNLIMITED,
  pageNow: () => true,
}

/** The rate limits of contract section 1. */
export function rateLimit(counters: Counters): RateLimit {
  const { limiter, pages, bytes, rules } = counters
  const one = async (subject: Subject): Promise<Limited> =>
    limitedBy(subject.rule, await limiter.take(subject))
  return {
    device: async (hash, points) => {
      const request = await limiter.take({ name: 'deviceRequests', rule: rules.deviceRequests, id: hash })
      const isNearLimit = request.remaining * 3 < request.limit
      if (!request.allowed || points === 0) return { allowed: request.allowed, isNearLimit }
      const counted = await bytes.take({ name: 'devicePoints', rule: rules.devicePoints, id: hash }, points)
      if (!counted.allowed) await request.giveBack()
      return { allowed: counted.allowed, isNearLimit }
    },
    admin: (token) => one({ name: 'admin', rule: rules.admin, id: token }),
    wrong: (kind, client) => one({ name: kind, rule: rules[kind], id: countedAs(client) }),
    isSpent: async (kind, client) => {
      const { allowed } = await limiter.look({ name: kind, rule: rules[kind], id: countedAs(client) })
      return !allowed
    },
    signIn: (client) => one({ name: 'sessions', rule: rules.sessions, id: countedAs(client) }),
    signInOf: (userId) =>
      one({ name: 'writesByUser:/session', rule: rules.writesByUser, id: personId(userId) }),
    read: (id) => one({ name: 'readsByAddress', rule: rules.readsByAddress, id }),
    page: async (id) => limitedBy(rules.pages, await pages.take(id)),
    pageNow: (id) => pages.takeNow(id),
    caller: (route, counted) => {
      const claims = claimsOf(route, counted, counters)
      return claims.length === 0 ? UNLIMITED : all(claims)
    },
    callerNow: (route, counted) => allNow(claimsOf(route, counted, counters)),
  }
}

/**
 * In the order of the route: the address first, so that made-up users cannot fill Redis. Places are given back when a later
 * rule refuses.
 */
async function all(claims: readonly Claim[]): Promise<Limited> {
  const taken: Verdict[] = []
  let tightest: Verdict | undefined
  for (const { rule, take } of claims) {
    const verdict = await take()
    if (!verdict) continue
    if (!verdict.allowed) {
      for (const earlier of taken) {
        if (earlier.settle) earlier.settle('rejected')
        else await earlier.giveBack()
      }
      return limitedBy(rule, verdict)
    }
    taken.push(verdict)
    if (isShown(rule) && (!tightest || verdict.remaining < tightest.remaining)) tightest = verdict
  }
  const settles = taken.flatMap(({ settle }) => settle ?? [])
  const headers = tightest ? headersOf(tightest) : NO_LIMIT_HEADERS
  return settles.length === 0
    ? { headers }
    : { headers, settle: (status) => settleAll(settles, outcomeOf(status)) }
}

function allNow(claims: readonly Claim[]): AdmittedNow | undefined {
  const taken: Verdict[] = []
  let tightest: Verdict | undefined
  let kept: Promise<void> | undefined
  const giveBack = () => {
    for (const verdict of taken) void verdict.giveBack()
  }
  // The last rule is the one that may not know: then nothing has to be given back.
  for (const { rule, takeNow } of claims.toReversed()) {
    const verdict = takeNow?.()
    if (!verdict?.allowed) {
      giveBack()
      return undefined
    }
    taken.push(verdict)
    if (verdict.kept) kept = kept ? Promise.all([kept, verdict.kept]).then(() => {}) : verdict.kept
    if (isShown(rule) && (!tightest || verdict.remaining < tightest.remaining)) tightest = verdict
  }
  const settle = (status: number, isNew: boolean) => {
    for (const verdict of taken) verdict.settle?.(outcomeOf(status), isNew)
  }
  return { headers: tightest ? headersOf(tightest) : NO_LIMIT_HEADERS, kept, settle, giveBack }
}

/** Limits of bytes and participants concern attackers alone, so responses do not mention them. */
const isShown = ({ of, silent }: Rule): boolean => of === undefined && !silent

const settleAll = (settles: readonly ((outcome: CallOutcome) => void)[], outcome: CallOutcome): void => {
  for (const settle of settles) settle(outcome)
}

/** Figures of small limits: what each participant has, over and over. Those of an address hardly come twice. */
const keptHeaders = new Map<string, LimitHeaders>()
const KEPT_MAX = 4_096

function headersOf({ limit, remaining, resetS }: Verdict): LimitHeaders {
  const figures = limit <= FEW ? `${limit} ${remaining} ${resetS}` : undefined
  const kept = figures === undefined ? undefined : keptHeaders.get(figures)
  if (kept) return kept
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  }
  if (figures === undefined) return headers
  if (keptHeaders.size >= KEPT_MAX) keptHeaders.clear()
  keptHeaders.set(figures, Object.freeze(headers))
  return headers
}

/** What one rule says of a request: its headers, and 429 where it has no place left. */
function limitedBy({ apiError = 'Too many requests.', silent }: Rule, verdict: Verdict): Limited {
  const headers = silent ? NO_LIMIT_HEADERS : headersOf(verdict)
  if (verdict.allowed) return { headers }
  const { resetS } = verdict
  return new ApiError('tooMany', `${apiError} Please try again in ${resetS} seconds.`, {
    ...headers,
    'retry-after': String(resetS),
  })
}
