/** Requests a second where LINE names no other limit (LINE's reference, rate limits). */
const PER_SECOND = 2_000
const HOUR_S = 3_600

/** How many requests fit into a bucket, and how many seconds it takes to fill again. */
export type Rate = { requests: number; perS: number }
const RATES: Record<string, Rate> = {
  multicast: { requests: 200, perS: 1 },
  loading: { requests: 100, perS: 1 },
  narrowcast: { requests: 60, perS: HOUR_S },
  broadcast: { requests: 60, perS: HOUR_S },
  'richmenu-create': { requests: 100, perS: HOUR_S },
  'richmenu-delete': { requests: 100, perS: HOUR_S },
  'richmenu-list': { requests: 10, perS: 1 },
}

/** Token buckets, one per endpoint, on the stub's own clock. */
export function createRates(now: () => number) {
  const chosen = new Map<string, Rate>(Object.entries(RATES))
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return {
    /** Another limit for an endpoint, from now on with a full bucket. */
    set: (endpoint: string, rate: Rate): void => {
      chosen.set(endpoint, rate)
      buckets.delete(endpoint)
    },
    /** Takes one request out of the endpoint's bucket; false when it is empty. */
    take: (endpoint: string): boolean => {
      const { requests, perS } = chosen.get(endpoint) ?? { requests: PER_SECOND, perS: 1 }
      const { tokens, atMs } = buckets.get(endpoint) ?? { tokens: requests, atMs: now() }
      const filled = Math.min(requests, tokens + ((now() - atMs) / 1_000) * (requests / perS))
      const taken = filled >= 1
      buckets.set(endpoint, { tokens: taken ? filled - 1 : filled, atMs: now() })
      return taken
    },
  }
}
