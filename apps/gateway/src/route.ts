import type { Credential } from '@palanquin/service/credential-tags'
import { BODY_BYTES_MAX } from './middleware/body-limit.ts'
import type { LimitName } from './rate-limit/rules.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ServiceName = 'tracking' | 'map' | 'engagement' | 'media' | 'lineBot'
/** 0 no token, 1 volunteer, 2 manager, 3 owner (specification, section 5). */
export type Tier = 0 | 1 | 2 | 3
/** Under overload, low is shed first (cards, exports) and critical last (check-ins, steering the activity). */
export type Priority = 'low' | 'normal' | 'critical'

/** A row of the table: everything that the gateway decides about a route. */
export type Route = {
  readonly method: Method
  /** As the contract writes it, without the prefix: `/user/{userId}`. */
  readonly path: string
  readonly service: ServiceName
  /** `session`: the gateway itself signs people in and out; `service` stores it. */
  readonly handler: 'service' | 'session'
  /** The least tier of the token; 0: no token is required. */
  readonly tier: Tier
  /**
   * - `none`: X-Admin-Token is ignored.
   * - `optional`: a valid one raises the caller's tier, a wrong one is 401.
   * - `required`: 401 without one.
   * - `or-feedback-token`: `required`, unless there is an X-Feedback-Token, which the service verifies.
   * - `feedback-token`: X-Admin-Token is ignored; the service verifies the X-Feedback-Token.
   */
  readonly token: 'none' | 'optional' | 'required' | 'or-feedback-token' | 'feedback-token'
  /**
   * Whether the caller must be the participant: by a session, or by a LIFF ID token.
   * - `named`: with USER_AUTH=line or session, for a call that names a `userId`; an administrator (tier 2) needs not.
   * - `instead`: being the `userId` replaces an admin token, whatever USER_AUTH is.
   * - `self`: only what is the caller's own, whatever USER_AUTH is; the service gets its `userId` in USER_HEADER.
   * - `recognised`: public; a caller who is the `userId`, where one is named, is named to the service in USER_HEADER.
   */
  readonly userAuth: 'none' | 'named' | 'instead' | 'self' | 'recognised'
  /** The `token` of its path is of this kind; one that we did not issue is 404 without a call of the service. */
  readonly issued: Credential | undefined
  /** Whether the write token of a phone app authenticates the caller, too. */
  readonly deviceToken: boolean
  /** The rules that count a call: with a valid admin token `admin` and others by token alone, without one all the others. */
  readonly limits: readonly LimitName[]
  /** Where the call has its `userId`; `body?` may leave it out. */
  readonly userId: 'body' | 'body?' | 'query' | 'path' | 'none'
  /**
   * - `json`: a JSON object. `json?`: or an empty body.
   * - `upload`: a JSON object, or multipart/form-data, which the service reads.
   * - `bytes`: passed through unread (the webhook's signature is over the bytes).
   */
  readonly body: 'none' | 'json' | 'json?' | 'upload' | 'bytes'
  /** Larger bodies are 413; the specification's limit holds for every path below its prefix. */
  readonly bodyBytesMax: number
  /** Whether it stands outside of `/api/<brand>`: large uploads (web face, section 4). */
  readonly atRoot: boolean
  /** From the call of the service to the end of its reply. */
  readonly deadlineMs: number
  /** Idempotent: may be repeated when a connection broke under it. */
  readonly repeatable: boolean
  /** `service`: a public response may be cached as the service says; `never`: no-store. */
  readonly cache: 'never' | 'service'
  /**
   * The service's path for many such calls at once: small bodies of idempotent calls, or the parameters of a GET whose
   * response depends on nothing else.
   */
  readonly batch: `/${string}` | undefined
  /** The same for every client without a token: requests at the same time share one call. */
  readonly shared: boolean
  /**
   * The query parameters that are forwarded, in this order. Others are dropped, so that a made-up one causes no call of its
   * own. Left out, all are forwarded.
   */
  readonly parameters?: readonly string[]
  /** The parameter whose time is rounded down to a minute, so that nearly the same one is the same response. */
  readonly byMinute?: string
  /** Cached here for so long, the same for every client; and for longer while its service is away. */
  readonly freshMs: number | undefined
  /** Server-sent events: no deadline after the headers. */
  readonly stream: boolean
  readonly priority: Priority
  /** A sentence of advice behind a 413; empty where there is nothing but to send less. */
  readonly whenTooLarge: string
  readonly summary: string
}

/** The gateway's idle timeout is longer than any of these, or clients would get an empty reply. */
const DEADLINE_MS = 10_000
/** `end-activity` answers after the final flush. */
export const FINAL_FLUSH_DEADLINE_MS = 60_000
/** Two images are drawn, and LINE is called a dozen times. */
export const MENU_DEADLINE_MS = 40_000
/** Fifty megapixels are decoded, behind those of others. */
export const PHOTO_DEADLINE_MS = 30_000
/** Fifty megabytes go to the object store. */
export const IMPORT_DEADLINE_MS = 30_000
/** Nine days of a point a second, and a week of events to search. */
export const ERASURE_DEADLINE_MS = 60_000

type Facts = Partial<Omit<Route, 'method' | 'path' | 'service' | 'summary'>>

/** Whether a route changes something: its calls by a cookie must come from our own pages. */
export const writes = ({ method }: Pick<Route, 'method'>): boolean => method !== 'GET'

/** Whether only an administrator calls it, or a reporter of lost and found. */
export const isAdministrative = ({ tier, userAuth }: Route): boolean => tier > 0 && userAuth !== 'instead'

/** Whether X-Admin-Token is read at all. */
export const readsAdminToken = (token: Route['token']): boolean =>
  token !== 'none' && token !== 'feedback-token'

/** A row: its path and service, what differs from the defaults, and its summary. */
export function route(
  method: Method,
  path: `/${string}`,
  service: ServiceName,
  facts: Facts,
  summary: string,
): Route {
  const tier = facts.tier ?? 0
  const token = facts.token ?? (tier > 0 ? 'required' : 'none')
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const names = facts.userId === 'body' || facts.userId === 'body?'
  return {
    method,
    path,
    service,
    handler: 'service',
    tier,
    token,
    userId: 'none',
    userAuth: tier === 0 && hasBody && names ? 'named' : 'none',
    issued: undefined,
    deviceToken: false,
    body: hasBody ? 'json' : 'none',
    bodyBytesMax: BODY_BYTES_MAX,
    atRoot: false,
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
    limits: readsAdminToken(token) ? [...(facts.limits ?? []), 'admin'] : (facts.limits ?? []),
  }
}
