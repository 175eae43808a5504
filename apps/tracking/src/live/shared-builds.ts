import { ApiError } from '@palanquin/service/http/api-error'
import type { BoundedQueue } from '../bounded-queue.ts'

/**
 * Work of the queue that clients with the same key share, while it is under way and `ttlMs` after. A timer evicts what
 * was built, as a map may be megabytes; beyond `entriesMax` the oldest goes first. Failures are not kept.
 */
export function createSharedBuilds<T>({
  builds,
  ttlMs,
  entriesMax = Number.POSITIVE_INFINITY,
}: {
  builds: BoundedQueue
  ttlMs: number
  entriesMax?: number
}) {
  const entries = new Map<string, Promise<T | ApiError>>()
  return (key: string, work: () => Promise<T> | T): Promise<T | ApiError> => {
    const shared = entries.get(key)
    if (shared) return shared
    const building = builds.run(work)
    const evict = () => void (entries.get(key) === building && entries.delete(key))
    for (const oldest of entries.size < entriesMax ? [] : entries.keys()) {
      entries.delete(oldest)
      break
    }
    entries.set(key, building)
    void building.then((built) => (built instanceof ApiError ? evict() : setTimeout(evict, ttlMs)), evict)
    return building
  }
}
