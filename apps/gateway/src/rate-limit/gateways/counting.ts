import type { KeyHash, KeyHasher } from '../memory/key-hash.ts'
import { type LocalWindows, SHORT_MS } from '../memory/local-windows.ts'
import type { Rule } from '../rules.ts'

/** How this gateway counts the short windows (`GatewayRegistry`). */
export type Counting = {
  isAlone: (nowMs: number) => boolean
  isTogether: (nowMs: number) => boolean
  /** How often this process has begun to count alone. */
  readonly era: number
  settled: () => Promise<void>
  admitted: (key: KeyHash, atMs: number) => Promise<void> | undefined
  takenBack: (key: KeyHash, atMs: number) => void
  yield: () => void
  /** What this process may admit of a limit while Redis is away. */
  share: (limit: number) => number
}

/** What both ways of counting share. */
export type CountingParts = {
  local: LocalWindows
  counting: Counting
  hasher: KeyHasher
  nowMs: () => number
}

/** Everything in Redis. */
export const TOGETHER: Counting = {
  isAlone: () => false,
  isTogether: () => true,
  era: 0,
  settled: async () => {},
  admitted: () => undefined,
  takenBack: () => {},
  yield: () => {},
  share: (limit) => limit,
}

/** Whether Redis has all that counts of a rule, but for what the local windows say is `spent`. */
export const isInRedis = (counting: Counting, { windowMs }: Rule, nowMs: number): boolean =>
  windowMs > SHORT_MS || counting.isTogether(nowMs) || counting.isAlone(nowMs)
