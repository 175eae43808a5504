import { SERVICES } from '../stack/environment.ts'

/** Every process of a house, by the name of its pid file. */
export const STORES = ['postgres', 'redis', 's3'] as const
export const PROCESSES = ['gateway', ...SERVICES, ...STORES] as const
export type Process = (typeof PROCESSES)[number]

/** The wires on which a fault proxy sits: who calls, and whom. */
export const LINKS = [
  'tracking → postgres',
  'engagement → postgres',
  'media → postgres',
  'line-bot → postgres',
  'gateway → redis',
  'tracking → redis',
  'engagement → redis',
  'media → redis',
  'line-bot → redis',
  'media → s3',
  'gateway → tracking',
  'gateway → engagement',
  'gateway → media',
  'gateway → line-bot',
] as const
export type Link = (typeof LINKS)[number]

export const BREAKS = ['refuse', 'stall', 'reset', 'drop-reply', 'slow'] as const
export type Break = (typeof BREAKS)[number]

/**
 * - `kill`: kill -9. `restart`: SIGTERM, as in a deployment. The supervisor starts it again after either.
 * - `suspend`: SIGSTOP, and SIGCONT after a while.
 * - `link`: the wire misbehaves for a while.
 * - `steal`: the flush lock is somebody else's from now on. `expire`: it is nobody's, while somebody flushes.
 * - `backends`: PostgreSQL's backends are terminated in the middle of whatever they do.
 */
export type FaultKind = 'kill' | 'restart' | 'suspend' | 'link' | 'steal' | 'expire' | 'backends'
export type Deed =
  | { kind: 'kill' | 'restart'; target: Process }
  | { kind: 'suspend'; target: Process; forMs: number }
  | { kind: 'link'; link: Link; break: Break; forMs: number }
  | { kind: 'steal' | 'expire' | 'backends' }
export type Fault = { atMs: number } & Deed

/** A fault in words, for the schedule and the log. */
export function inWords(fault: Fault): string {
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
