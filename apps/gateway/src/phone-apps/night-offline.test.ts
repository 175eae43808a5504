import { expect, test } from 'bun:test'
import { replyOf } from '@palanquin/domain/phone-apps'
import { NOTHING_READ, type Reading } from '@palanquin/domain/phone-apps/reading'
import { ULOGGER_SLOW_MS } from '@palanquin/domain/phone-apps/replies'
import { SeenIds } from '@palanquin/service/seen-ids'
import { newWriteToken } from '@palanquin/service/write-token'
import fc from 'fast-check'
import { TAGS } from '../../test/gateway.ts'
import { Limiter } from '../rate-limit/limiter.ts'
import { MemoryWindows } from '../rate-limit/memory-windows.ts'
import { NewParticipants } from '../rate-limit/new-participants.ts'
import { rateLimit } from '../rate-limit/rate-limit.ts'
import { DEFAULT_LIMITS, rulesOf } from '../rate-limit/rules.ts'
import { deliveryJudge, type Judged } from './judge.ts'

const POINTS = 5_000
const NO_REQUEST = { fields: new Map<string, string>(), json: undefined }
const TEN_MINUTES_MS = 600_000
const READING: Reading = { ...NOTHING_READ, points: [{ lat: 24, lng: 120.5, recordedAt: 1 }] }

/** What an app does once it hears 503: seconds until it tries again, one after the other; the last one again and again. */
const RETRIES_S = {
  owntracks: [1, 2, 4, 8, 16, 32, 64, 120],
  traccar: [5, 10, 20, 40, 80, 160, 300],
  ulogger: [300],
  colota: [30, 60, 300, 900],
} as const
const AT_ONCE: Partial<Record<keyof typeof RETRIES_S, number>> = { colota: 10 }

/** The limits of a gateway whose clock is `now`, and a tracking that takes everything. */
function gatewayAt(now: () => number) {
  const rules = rulesOf(DEFAULT_LIMITS)
  const windows = new MemoryWindows()
  const limiter = new Limiter({ count: async (request) => windows.count(request, now()) })
  const newParticipants = new NewParticipants({
    seen: new SeenIds(),
    isKnown: async () => true,
    limiter,
  })
  const limits = rateLimit({ limiter, rules, newParticipants })
  return deliveryJudge({ limits, deliver: async () => ({ state: 'taken', counts: { stored: 1 } }) })
}

/** Epoch-free milliseconds until a phone has nothing left, at so many for each request. */
async function drained(
  app: keyof typeof RETRIES_S,
  requestMs: number,
): Promise<{ ms: number; points: number }> {
  let nowMs = 0
  const judge = gatewayAt(() => nowMs)
  const token = newWriteToken(TAGS)
  const one = {
    app,
    token,
    read: () => READING,
    version: undefined,
    requestId: 'r',
    client: () => '192.0.2.1',
  }
  const retries = RETRIES_S[app]
  const atOnce = AT_ONCE[app] ?? 1
  let points = 0
  for (let failures = 0; points < POINTS; ) {
    nowMs += requestMs
    const answers = await Promise.all(
      Array.from({ length: Math.min(atOnce, POINTS - points) }, () => judge(one)),
    )
    points += answers.filter(({ replyCase }) => replyCase === 'taken').length
    if (answers.some((answer) => isSlowed(app, answer))) nowMs += ULOGGER_SLOW_MS
    if (answers.every(({ replyCase }) => replyCase === 'taken')) failures = 0
    else nowMs += (retries[Math.min(failures++, retries.length - 1)] ?? 0) * 1_000
    // What hangs would never end.
    if (nowMs > 10 * TEN_MINUTES_MS) break
  }
  return { ms: nowMs, points }
}

/** Whether a reply to what was taken is held back. */
const isSlowed = (app: keyof typeof RETRIES_S, { replyCase, ...facts }: Judged): boolean =>
  replyCase === 'taken' && replyOf(app, replyCase, NO_REQUEST, facts).holdMs !== undefined

test.each(['owntracks', 'traccar', 'colota', 'ulogger'] as const)(
  'the 5,000 points of a night offline, one a request, are taken from %s within ten minutes, however fast they come',
  async (app) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 5, max: 100 }), async (requestMs) => {
        const { ms, points } = await drained(app, requestMs)
        expect(points).toBe(POINTS)
        expect(ms).toBeLessThan(TEN_MINUTES_MS)
      }),
      { seed: 20_261_124, numRuns: 10 },
    )
  },
)
