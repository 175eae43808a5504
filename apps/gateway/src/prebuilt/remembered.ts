import QuickLRU from 'quick-lru'

/** Browsers send a handful of values; clients that make them up cost no more than reading them. */
const VALUES_MAX = 200
const CHARACTERS_MAX = 200

/** A pure reading of a request's header, done once for each of its latest values. */
export function remembered<T extends string>(
  read: (header: string | null) => T,
): (header: string | null) => T {
  const known = new QuickLRU<string | null, T>({ maxSize: VALUES_MAX })
  return (header) => {
    const before = known.get(header)
    if (before !== undefined) return before
    const value = read(header)
    if (header === null || header.length <= CHARACTERS_MAX) known.set(header, value)
    return value
  }
}
