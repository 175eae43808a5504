import type { Reply, SyncReceipt } from '@palanquin/stack/api'
import type { Static } from 'typebox'

type Endpoint = { tookMs: number[]; statuses: Map<number, number> }

/** Requests and responses by endpoint. */
export type RequestCounts = ReturnType<typeof createRequestCounts>

export function createRequestCounts() {
  const endpoints = new Map<string, Endpoint>()
  const points = { sent: 0, buffered: 0, duplicates: 0, filtered: 0, rejected: new Map<string, number>() }
  const endpoint = (name: string): Endpoint => {
    const known = endpoints.get(name) ?? { tookMs: [], statuses: new Map() }
    endpoints.set(name, known)
    return known
  }
  return {
    points,
    endpoints,
    reply: (name: string, { status, tookMs }: Reply) => {
      const { statuses, tookMs: all } = endpoint(name)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      all.push(tookMs)
    },
    receipt: (sent: number, receipt: Static<typeof SyncReceipt>) => {
      points.sent += sent
      points.buffered += receipt.buffered
      points.duplicates += receipt.duplicates
      points.filtered += receipt.filtered
      for (const { reason } of receipt.rejected)
        points.rejected.set(reason, (points.rejected.get(reason) ?? 0) + 1)
    },
    /** Responses of an endpoint with this status; without one, all of them. */
    count: (name: string, status?: number): number => {
      const { statuses } = endpoint(name)
      return status === undefined
        ? [...statuses.values()].reduce((a, b) => a + b, 0)
        : (statuses.get(status) ?? 0)
    },
  }
}

/** The value at a quantile; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
