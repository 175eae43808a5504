import { toIso } from '@palanquin/domain/time'
import type { LineClient } from '../line-client/client.ts'

/** How much of the month's messages is used; null where there is no limit. */
export type Usage = {
  type: 'limited' | 'none'
  quota: number | null
  used: number
  remaining: number | null
  asOf: string
}

/** Contract section 5, `GET /line-usage`. */
const FRESH_MS = 60_000
/** After a failed read, so that not every message of an outage causes another. */
const FAILED_FRESH_MS = 5_000
/** Where a minute is too old, so that many refused pushes cause one read. */
const ANEW_MS = 2_000
const PERCENT = 100

export type Allowance = { allowed: true } | { allowed: false; reason: string }

/** The month's quota, read once a minute at most; what this process sends is counted in between. */
export function quotaReader({
  client,
  reservePercent,
  now,
}: {
  client: Pick<LineClient, 'quota' | 'consumption'>
  /** This share of the quota is kept for urgent messages. */
  reservePercent: number
  now: () => number
}) {
  let latest: { usage: Usage; atMs: number } | null = null
  let failedAtMs = Number.NEGATIVE_INFINITY
  let takenSince = 0
  let underWay: Promise<Usage | null> | undefined

  const look = async (): Promise<Usage | null> => {
    const atMs = now()
    const takenBefore = takenSince
    const [quota, consumption] = await Promise.all([client.quota(), client.consumption()])
    if (quota.is !== 'ok' || consumption.is !== 'ok') {
      failedAtMs = now()
      return latest?.usage ?? null
    }
    const limit = quota.value.type === 'limited' ? (quota.value.value ?? 0) : null
    const used = consumption.value.totalUsage
    const remaining = limit === null ? null : Math.max(0, limit - used)
    const type = limit === null ? 'none' : 'limited'
    latest = { usage: { type, quota: limit, used, remaining, asOf: toIso(atMs) }, atMs }
    takenSince -= takenBefore
    return latest.usage
  }
  /** At most a minute old; older, with its time, while LINE does not answer; null where it never did. */
  const read = async (freshMs = FRESH_MS): Promise<Usage | null> => {
    if (latest && now() - latest.atMs < freshMs) return latest.usage
    if (now() - failedAtMs < FAILED_FRESH_MS) return latest?.usage ?? null
    underWay ??= look().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  return {
    read: () => read(),
    /** Whether LINE's current figures are too low: nothing else tells its two kinds of 429 apart for certain. */
    lacks: async (recipients: number): Promise<boolean> => {
      const remaining = (await read(ANEW_MS))?.remaining
      return remaining != null && remaining < recipients
    },
    /** Whether so many may be sent, and counts them. Unknown quotas allow it: LINE refuses what is too much. */
    take: async (recipients: number, { urgent }: { urgent: boolean }): Promise<Allowance> => {
      const usage = await read()
      if (usage?.quota == null || usage.remaining === null) return { allowed: true }
      const left = Math.max(0, usage.remaining - takenSince)
      const reserve = urgent ? 0 : Math.ceil((usage.quota * reservePercent) / PERCENT)
      if (recipients <= left - reserve) {
        takenSince += recipients
        return { allowed: true }
      }
      const kept = urgent ? '' : `, of which ${reserve} are kept for pause notices and the final summary`
      return {
        allowed: false,
        reason: `quota: this takes ${recipients} messages; ${left} of this month's ${usage.quota} are left${kept}`,
      }
    },
    /** LINE refused for the quota: what was known of it is too old. */
    forget: (): void => {
      latest = null
      takenSince = 0
    },
  }
}

export type QuotaReader = ReturnType<typeof quotaReader>
