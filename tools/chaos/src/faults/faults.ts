import { nameOfCopy } from '@palanquin/stack/units/copies'
import { GATEWAY, SERVICES, type Service } from '@palanquin/stack/units/services'

const STORES = ['postgres', 'redis'] as const
/** The name of a pid file: `gateway`, a store, or a copy of a service (`tracking`, `tracking-2`). */
export type Process = string
/** `caller → callee`: each a process, or `line` or `s3`, which are not part of the stack. */
export type Link = string

/** The callers of each callee. */
const CALLERS: Record<
  (typeof STORES)[number] | Service | 's3' | 'line',
  readonly (Service | typeof GATEWAY)[]
> = {
  postgres: SERVICES,
  redis: [GATEWAY, ...SERVICES],
  s3: ['media'],
  line: ['line-bot'],
  tracking: [GATEWAY, 'engagement', 'line-bot'],
  map: [GATEWAY, 'engagement'],
  engagement: [GATEWAY, 'media', 'line-bot'],
  media: [GATEWAY, 'engagement', 'line-bot'],
  'line-bot': [GATEWAY, 'engagement'],
}

const isService = (name: string): name is Service => SERVICES.some((service) => service === name)
const namesOf = (name: string, copies: number): string[] =>
  isService(name) ? Array.from({ length: copies }, (_, at) => nameOfCopy(name, at + 1)) : [name]

/** Every process of a stack with that many copies of each service. */
export const processesOf = (copies: number): Process[] =>
  [GATEWAY, ...SERVICES, ...STORES].flatMap((name) => namesOf(name, copies))

/** The connections of such a stack, each through a fault proxy. */
export const linksOf = (copies: number): Link[] =>
  Object.entries(CALLERS).flatMap(([callee, callers]) =>
    callers.flatMap((caller) =>
      namesOf(caller, copies).flatMap((from) => namesOf(callee, copies).map((to) => `${from} → ${to}`)),
    ),
  )

export const BREAKS = ['refuse', 'stall', 'reset', 'drop-reply', 'slow'] as const
export type Break = (typeof BREAKS)[number]

/**
 * - `kill`: kill -9. `restart`: SIGTERM, as in a deployment. The supervisor starts it again after either.
 * - `suspend`: SIGSTOP, and SIGCONT after a while.
 * - `link`: the connection fails in some way for a while.
 * - `steal`: another holder takes the flush lock. `expire`: the lock expires during a flush.
 * - `backends`: PostgreSQL's backends are terminated in the middle of their work.
 */
export type FaultKind = 'kill' | 'restart' | 'suspend' | 'link' | 'steal' | 'expire' | 'backends'
export type FaultAction =
  | { kind: 'kill' | 'restart'; target: Process }
  | { kind: 'suspend'; target: Process; forMs: number }
  | { kind: 'link'; link: Link; break: Break; forMs: number }
  | { kind: 'steal' | 'expire' | 'backends' }
export type Fault = { atMs: number } & FaultAction

/** A fault as text, for the schedule and the log. */
export function describeFault(fault: Fault): string {
  const forS = 'forMs' in fault ? ` for ${(fault.forMs / 1000).toFixed(1)} s` : ''
  switch (fault.kind) {
    case 'kill':
      return `kill -9 ${fault.target}`
    case 'restart':
      return `restart ${fault.target} (SIGTERM)`
    case 'suspend':
      return `stop ${fault.target}${forS} (SIGSTOP)`
    case 'link':
      return `${fault.link}: ${fault.break}${forS}`
    case 'steal':
      return 'the flush lock is stolen'
    case 'expire':
      return 'the flush lock expires'
    case 'backends':
      return "PostgreSQL's backends are terminated"
  }
}
