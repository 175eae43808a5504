import { expect, test } from 'bun:test'
import { SeenIds } from '@palanquin/service/seen-ids'
import fc from 'fast-check'
import { NewParticipants } from './new-participants.ts'
import { verdictOf } from './verdict.ts'

const HOUR_MS = 3_600_000
type Call = {
  isNew: boolean
  isSlow: boolean
  entersAfter: number
  isAnsweredAfter: number
  isAccepted: boolean
}

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Redis, which answers in order and takes `delay` ticks for it. */
function fakeLimiter(limit: number, delay: number) {
  const rule = { limit, windowMs: HOUR_MS, scope: 'address', of: 'participants' } as const
  let used = 0
  const verdict = (allowed: boolean) =>
    verdictOf(rule, { allowed, used, freeInMs: 1 }, async () => void used--)
  const answer = async (count: () => ReturnType<typeof verdict>) => {
    await ticks(delay)
    const counted = count()
    await ticks(delay)
    return counted
  }
  const subject = { name: 'newParticipants', rule, id: '192.0.2.1' }
  const limiter = {
    isAlone: true,
    era: 1,
    look: () => answer(() => verdict(used < limit)),
    take: () =>
      answer(() => {
        const allowed = used < limit
        if (allowed) used++
        return verdict(allowed)
      }),
    countLater: (_: unknown, calls: number) =>
      answer(() => {
        used += calls
        return verdict(used <= limit)
      }),
  }
  return { limiter, subject, used: () => used }
}

const calls = fc.array(
  fc.record({
    isNew: fc.boolean(),
    /** Of a kind that never goes the fast way. */
    isSlow: fc.boolean(),
    /** Often several in one tick. */
    entersAfter: fc.oneof(fc.nat(12), fc.nat(1)),
    isAnsweredAfter: fc.integer({ min: 1, max: 6 }),
    isAccepted: fc.boolean(),
  }),
  { maxLength: 40 },
)

test('whatever is under way when the last places are taken, no more new participants come in than may, and known ones all do', async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 1, max: 12 }), fc.nat(3), async (all, limit, delay) => {
      const { limiter, subject, used } = fakeLimiter(limit, delay)
      const isKnown = async (userId: string) => {
        await ticks(1)
        return userId.startsWith('known')
      }
      const seen = new SeenIds()
      const participants = new NewParticipants({ seen, isKnown, limiter })
      let broughtIn = 0
      const make = async ({ isNew, isSlow, entersAfter, isAnsweredAfter, isAccepted }: Call, at: number) => {
        await ticks(entersAfter)
        const userId = `${isNew ? 'new' : 'known'}-${at}`
        const now = isSlow ? undefined : participants.takeNow(userId, subject)
        const place = now ?? (await participants.take(userId, subject))
        if (place && !place.allowed) return 'refused'
        await ticks(isAnsweredAfter)
        if (isNew && isAccepted) broughtIn++
        place?.settle?.(isAccepted ? 'accepted' : 'rejected', isNew)
        return 'let in'
      }
      const outcomes = await Promise.all(all.map(make))
      await ticks(4 * delay + 4)
      expect(broughtIn).toBeLessThanOrEqual(limit)
      expect(used()).toBe(broughtIn)
      const refused = all.filter((_, at) => outcomes[at] === 'refused')
      expect(refused.filter(({ isNew }) => !isNew)).toEqual([])
      // Nobody is refused for the sake of calls that turned out to bring nobody, where all that are new are accepted.
      if (all.every(({ isNew, isAccepted }) => isAccepted || !isNew) && refused.length > 0)
        expect(broughtIn).toBe(limit)
    }),
    { seed: 20261126, numRuns: 300 },
  )
})
