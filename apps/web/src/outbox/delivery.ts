import { isRecord } from '@palanquin/domain/is-record'

/** What an answer of the service means for the points that were sent. Pure. */

/** An answer as far as the outbox reads it; null: none came back. */
export type Answer = { status: number; retryAfterS: number | null; body: unknown } | null

/** Why the rest waits, for the person. */
export type Waiting = 'offline' | 'busy' | 'limited' | 'forbidden' | 'signed-out'

export type Delivery = {
  /** Indices of the points that the service has: the phone may forget them. */
  delivered: number[]
  /** Points that it will never take. */
  refused: { index: number; reason: string }[]
  /** Milliseconds until the next attempt; 0: at once. Null: only after a new start, or a sign-in. */
  againMs: number | null
  why: Waiting | null
  /** How many points the next attempt may send. */
  sizeMax: number
}

/** Web face, section 6. */
export const BATCH_MAX = 500
const RETRY_MS_MIN = 5_000
const RETRY_MS_MAX = 30_000
const LATER_MS = 60_000

/** Reasons that will not change: an instant that is too far ahead is reached one day. */
const FINAL_REASONS = ['invalid', 'too_old']

/** Reads the answer to `sent` points: only a 200 that counts all of them gives points up. @param random 0 to 1 */
export function deliveryOf(answer: Answer, { sent, random }: { sent: number; random: number }): Delivery {
  const wait = (why: Waiting, againMs: number | null, sizeMax = BATCH_MAX): Delivery => ({
    delivered: [],
    refused: [],
    againMs,
    why,
    sizeMax,
  })
  if (answer === null) return wait('offline', spread(LATER_MS, random))
  const { status, retryAfterS, body } = answer
  if (status === 200) {
    const rejected = rejectionsOf(body, sent)
    // Something between the phone and the service answers 200 for everything: a hotel's sign-in page.
    if (rejected === null) return wait('offline', spread(LATER_MS, random))
    const open = new Set(rejected.map(({ index }) => index))
    const refused = rejected.filter(({ reason }) => FINAL_REASONS.includes(reason))
    const delivered = Array.from({ length: sent }, (_, index) => index).filter((index) => !open.has(index))
    const againMs = refused.length === rejected.length ? 0 : spread(LATER_MS, random)
    return { delivered, refused, againMs, why: null, sizeMax: BATCH_MAX }
  }
  if (status === 413 && sent > 1) return { ...wait('busy', 0), why: null, sizeMax: Math.ceil(sent / 2) }
  if (status === 401) return wait('signed-out', null)
  if (status === 403) return wait('forbidden', spread(LATER_MS, random))
  if (status === 429) return wait('limited', (retryAfterS ?? LATER_MS / 1_000) * 1_000)
  return wait('busy', RETRY_MS_MIN + random * (RETRY_MS_MAX - RETRY_MS_MIN))
}

/** A minute, give or take a quarter: phones that started together do not stay together. */
export const spread = (ms: number, random: number): number => ms * (0.75 + random / 2)

type Rejection = { index: number; reason: string }

/** What a sync says of its points; null unless it speaks of exactly these. */
function rejectionsOf(body: unknown, sent: number): Rejection[] | null {
  const data = isRecord(body) ? body.data : undefined
  if (!isRecord(data) || data.received !== sent || !Array.isArray(data.rejected)) return null
  const rejections: Rejection[] = []
  for (const item of data.rejected) {
    const { index, reason }: Record<string, unknown> = isRecord(item) ? item : {}
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= sent) return null
    rejections.push({ index, reason: String(reason) })
  }
  return rejections
}
