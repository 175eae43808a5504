import type { Devices, Kind } from './requests.ts'

export type LoadPlan = {
  url: string
  caFile?: string
  kind: Kind
  /** Of each sync. */
  points?: number
  /** Of OwnTracks, whose requests then are theirs by turns. */
  devices?: Devices
  /** Concurrent requests, each on a kept connection; with a header `connection: close` each on a new one. */
  connections: number
  forMs: number
  /** Ends earlier after this many requests. */
  requests?: number
  /** The number of the first participant. */
  first: number
  headers?: Record<string, string>
}

export type LoadResult = {
  /** All of them were answered. */
  sent: number
  /** Bytes of the response bodies; with wrk including heads. */
  bytes: number
  lastedMs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time of the load itself. */
  cpuMs: number
  /** The program that generated it. */
  by: string
}
