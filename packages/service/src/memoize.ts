import QuickLRU from 'quick-lru'

const KEYS_MAX = 1_000

/** Shares a read under way, and its value for `ttlMs` after that. A failure is not kept. */
export function memoize<V, K = void>(
  read: (key: K) => Promise<V>,
  {
    ttlMs,
    keysMax = KEYS_MAX,
    now = () => performance.now(),
  }: { ttlMs: number | ((value: V) => number); keysMax?: number; now?: () => number },
): (key: K) => Promise<V> {
  const kept = new QuickLRU<K, { value: V; untilMs: number }>({ maxSize: keysMax })
  const share = singleFlight<V, K>()
  return async (key) => {
    const known = kept.get(key)
    if (known && now() < known.untilMs) return known.value
    return share(key, async () => {
      const value = await read(key)
      const ttl = typeof ttlMs === 'function' ? ttlMs(value) : ttlMs
      if (ttl > 0) kept.set(key, { value, untilMs: now() + ttl })
      return value
    })
  }
}

/** One piece of work per key at a time: calls while it is under way get its outcome, good or bad. */
export function singleFlight<V, K = string>(): (key: K, work: () => Promise<V>) => Promise<V> {
  const underWay = new Map<K, Promise<V>>()
  return (key, work) => {
    const known = underWay.get(key)
    if (known) return known
    const mine = work().finally(() => underWay.delete(key))
    underWay.set(key, mine)
    return mine
  }
}
