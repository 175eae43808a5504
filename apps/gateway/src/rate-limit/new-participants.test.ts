import { expect, test } from 'bun:test'
import { SeenIds } from '@palanquin/service/seen-ids'
import fc from 'fast-check'
import type { CountRequest } from './counts.ts'
import { Limiter } from './limiter.ts'
import { MemoryWindows } from './memory-windows.ts'
import { NewParticipants } from './new-participants.ts'

const HOUR_MS = 3_600_000
type Call = {
  isNew: boolean
  saysNew: boolean
  entersAfter: number
  isAnsweredAfter: number
  isAccepted: boolean
}

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A Redis that answers in order and takes `delay` ticks for it. */
function limiterOf(limit: number, delay: number) {
  const windows = new MemoryWindows()
  const count = async (request: CountRequest) => {
    await ticks(delay)
    const counted = windows.count(request, 0)
    await ticks(delay)
    return counted
  }
  const limiter = new Limiter({ count })
  const rule = { limit, windowMs: HOUR_MS, scope: 'address', of: 'participants' } as const
  const charge = { name: 'newParticipants', rule, id: '192.0.2.1' }
  const used = async () => {
    const { verdicts } = await limiter.take([{ ...charge, amount: 0 }])
    return limit - (verdicts[0]?.remaining ?? 0)
  }
  return { limiter, charge, used }
}

const calls = fc.array(
  fc.record({
    isNew: fc.boolean(),
    saysNew: fc.boolean(),
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
      const { limiter, charge, used } = limiterOf(limit, delay)
      const isKnown = async (userId: string) => {
        await ticks(1)
        return userId.startsWith('known')
      }
      const participants = new NewParticipants({ seen: new SeenIds(), isKnown, limiter })
      let broughtIn = 0
      const make = async ({ isNew, saysNew, entersAfter, isAnsweredAfter, isAccepted }: Call, at: number) => {
        await ticks(entersAfter)
        const place = await participants.take(`${isNew ? 'new' : 'known'}-${at}`, charge, { saysNew })
        if (place?.refused) return 'refused'
        await ticks(isAnsweredAfter)
        if (isNew && isAccepted) broughtIn++
        place?.settle(isAccepted ? 'accepted' : 'rejected', saysNew ? isNew : undefined)
        return 'let in'
      }
      const outcomes = await Promise.all(all.map(make))
      await ticks(4 * delay + 4)
      expect(broughtIn).toBeLessThanOrEqual(limit)
      expect(await used()).toBe(broughtIn)
      expect(all.filter(({ isNew }, at) => !isNew && outcomes[at] === 'refused')).toEqual([])
      const newcomers = all.filter(({ isNew }) => isNew).length
      if (all.every(({ isNew }) => isNew) && newcomers <= limit) expect(outcomes).not.toContain('refused')
    }),
    { seed: 20_261_126, numRuns: 300 },
  )
})

test('calls at once that name one new participant share one place, and keep it if one is accepted', async () => {
  const { limiter, charge, used } = limiterOf(1, 1)
  const participants = new NewParticipants({ seen: new SeenIds(), isKnown: async () => false, limiter })
  const places = await Promise.all([1, 2, 3].map(() => participants.take('new', charge)))
  for (const [at, place] of places.entries()) place?.settle(at === 1 ? 'accepted' : 'rejected')
  await ticks(4)
  expect(await used()).toBe(1)
  expect(participants.isSeen('new')).toBe(true)
})

test('a place that the service says was not needed is free again', async () => {
  const { limiter, charge, used } = limiterOf(1, 1)
  const participants = new NewParticipants({ seen: new SeenIds(), isKnown: async () => true, limiter })
  const place = await participants.take('known', charge, { saysNew: true })
  expect(await used()).toBe(1)
  place?.settle('accepted', false)
  await ticks(4)
  expect(await used()).toBe(0)
})
