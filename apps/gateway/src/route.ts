import type { LimitName } from './rate-limit/rules.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ServiceName = 'tracking' | 'map' | 'engagement' | 'media' | 'lineBot'
/** 0 no token, 1 volunteer, 2 manager, 3 owner (specification, section 5). */
export type Tier = 0 | 1 | 2 | 3
/** When everybody comes at once, what is turned away first: cards and exports; last: check-ins, and who steers. */
export type Priority = 'low' | 'normal' | 'critical'

/** One row of the table: everything that the gateway decides about a route. */
export type Route = {
  readonly method: Method
  /** As the contract writes it, without the prefix: `/user/{userId}`. */
  readonly path: string
  readonly service: ServiceName
  /** What a valid token must at least have; 0: anybody. */
  readonly tier: Tier
  /**
   * - `none`: X-Admin-Token is not looked at.
   * - `optional`: works without one; a valid one raises the caller's tier, a wrong one is 401.
   * - `required`: 401 without one.
   * - `or-feedback-token`: `required`, unless the service is given X-Feedback-Token to judge.
   */
  readonly token: 'none' | 'optional' | 'required' | 'or-feedback-token'
  /**
   * With USER_AUTH=line (else always `none`): who must show a LIFF ID token.
   * - `named`: whoever names a `userId` proves to be them; an administrator (tier 2) need not.
   * - `instead`: that of the `userId` will do instead of an admin token.
   */
  readonly userAuth: 'none' | 'named' | 'instead'
  /** Which rules count a call: with a valid admin token `admin` alone, without one all the others. */
  readonly limits: readonly LimitName[]
  /** Where the `userId` of the call stands; `body?` may leave it out. */
  readonly userId: 'body' | 'body?' | 'query' | 'path' | 'none'
  /**
   * - `json`: a JSON object. `json?`: an empty body will do as well.
   * - `upload`: a JSON object, or multipart/form-data that the service reads.
   * - `bytes`: passed through unread (the webhook's signature is over the bytes).
   */
  readonly body: 'none' | 'json' | 'json?' | 'upload' | 'bytes'
  /** From the call of the service to the end of its answer. */
  readonly deadlineMs: number
  /** Sent twice has the effect of sent once: may be tried again when a connection broke under it. */
  readonly repeatable: boolean
  /** `service`: a public answer may be cached as the service says; `never`: no-store. */
  readonly cache: 'never' | 'service'
  /**
   * Where its service takes many such calls at once: small bodies of calls that may be repeated, or the parameters of a
   * GET whose answer depends on nothing else.
   */
  readonly batch: `/${string}` | undefined
  /** The same for everybody without a token: who asks at the same time is answered by one call. */
  readonly shared: boolean
  /**
   * The query parameters that go on to the service, in the order in which they are sent; any other is dropped, so that one
   * which nobody knows asks for no answer of its own. Left out, all go on.
   */
  readonly parameters?: readonly string[]
  /** Kept here for so long, the same for everybody whatever they ask with; and for longer while its service is away. */
  readonly freshMs: number | undefined
  /** Server-sent events: no deadline once they flow. */
  readonly stream: boolean
  readonly priority: Priority
  /** What a client does about a 413, as a sentence behind it; empty where there is nothing but to send less. */
  readonly whenTooLarge: string
  readonly summary: string
}

/** The gateway's idle timeout is longer than any of these, or clients would get an empty reply. */
const DEADLINE_MS = 10_000
/** `end-activity` answers after the final flush. */
export const FINAL_FLUSH_DEADLINE_MS = 60_000
/** Two pictures are drawn, and LINE is called a dozen times. */
export const MENU_DEADLINE_MS = 40_000
/** Nine days of a point a second, and a week of events to look through. */
export const ERASURE_DEADLINE_MS = 60_000

type Facts = Partial<Omit<Route, 'method' | 'path' | 'service' | 'summary'>>

/** A row: where it is, whose it is, what differs from the plain case, and what it is for. */
export function route(
  method: Method,
  path: `/${string}`,
  service: ServiceName,
  facts: Facts,
  summary: string,
): Route {
  const tier = facts.tier ?? 0
  const token = facts.token ?? (tier > 0 ? 'required' : 'none')
  const writes = method !== 'GET' && method !== 'DELETE'
  const names = facts.userId === 'body' || facts.userId === 'body?'
  return {
    method,
    path,
    service,
    tier,
    token,
    userId: 'none',
    userAuth: tier === 0 && writes && names ? 'named' : 'none',
    body: writes ? 'json' : 'none',
    deadlineMs: DEADLINE_MS,
    repeatable: method === 'GET',
    cache: 'never',
    batch: undefined,
    shared: false,
    freshMs: undefined,
    stream: false,
    priority: 'normal',
    whenTooLarge: '',
    summary,
    ...facts,
    limits: token === 'none' ? (facts.limits ?? []) : [...(facts.limits ?? []), 'admin'],
  }
}
