/** The month of the quota is Japan's. */
const JAPAN_OFFSET_MS = 9 * 3_600_000

/** The messages of the month, counted by recipient. */
export function createQuota({ now, limit }: { now: () => number; limit: number | null }) {
  const used = new Map<string, number>()
  const month = () => new Date(now() + JAPAN_OFFSET_MS).toISOString().slice(0, 7)
  const consumed = () => used.get(month()) ?? 0
  return {
    /** Messages a month; null for no limit. */
    limit,
    consumed,
    allows(recipients: number): boolean {
      return this.limit === null || consumed() + recipients <= this.limit
    },
    consume: (recipients: number): void => void used.set(month(), consumed() + recipients),
  }
}
