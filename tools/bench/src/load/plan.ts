import type { Kind } from './requests.ts'

export type LoadPlan = {
  url: string
  caFile?: string
  kind: Kind
  /** Of each sync. */
  points?: number
  /** Requests at once, each over a connection of its own that stays open; with a header `connection: close` each over a new one. */
  connections: number
  forMs: number
  /** Ends earlier after so many. */
  requests?: number
  /** The number of the first participant. */
  first: number
  headers?: Record<string, string>
}

export type LoadResult = {
  /** All of them were answered. */
  sent: number
  /** Of the bodies that came back; by wrk with their heads. */
  bytes: number
  lastedMs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** What the load itself took of the processors. */
  cpuMs: number
  /** By what program. */
  by: string
}
