import { expect, test } from 'bun:test'
import { SeenIds } from '@palanquin/service/seen-ids'
import { Limiter } from './limiter.ts'
import { LocalWindows } from './memory/local-windows.ts'
import { NewParticipants } from './new-participants.ts'

const LIMIT = 10
const rule = { limit: LIMIT, windowMs: 3_600_000, scope: 'address', of: 'participants' } as const
const subject = { name: 'newParticipants', rule, id: '192.0.2.1' }

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick++) await new Promise<void>((resolve) => setImmediate(resolve))
}
const SETTLED = 12

/** Two gateways and Redis, which has one counter and answers a tick later; `away`: not at all. */
function deployment() {
  const redis = { used: 0, isAway: false }
  const shared = {
    get away() {
      return redis.isAway
    },
    giveBack: async () => {},
    count: async (
      _: string,
      { limit, take, calls = 1 }: { limit: number; take: boolean; calls?: number | undefined },
    ) => {
      if (redis.isAway) return undefined
      await ticks(1)
      const admitted = take ? Math.min(calls, Math.max(0, limit - redis.used)) : 0
      const allowed = take ? admitted === calls : redis.used < limit
      redis.used += admitted
      return { allowed, used: redis.used, freeInMs: 1, stamp: '' }
    },
  }
  const gateway = () => {
    const mode = { isAlone: true, era: 1 }
    const counting = {
      isAlone: () => mode.isAlone,
      isTogether: () => !mode.isAlone,
      get era() {
        return mode.era
      },
      settled: async () => {},
      admitted: () => undefined,
      takenBack: () => {},
      yield: () => {},
      share: (limit: number) => limit,
    }
    const limiter = new Limiter({ local: new LocalWindows(), shared, counting })
    const isKnown = async () => false
    const participants = new NewParticipants({ seen: new SeenIds(), isKnown, limiter })
    const fast = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => participants.takeNow(`${name}-${at}`, subject)).filter(
        (place) => place !== undefined,
      )
    /** Calls that come at once, the fast way or the other; how many of them are let in. */
    const letIn = async (name: string, count: number) => {
      const each = Array.from({ length: count }, async (_, at) => {
        const userId = `${name}-${at}`
        const place = participants.takeNow(userId, subject) ?? (await participants.take(userId, subject))
        if (place && !place.allowed) return false
        await ticks(2)
        place?.settle?.('accepted', true)
        return true
      })
      const all = await Promise.all(each)
      await ticks(SETTLED)
      return all.filter(Boolean).length
    }
    return { mode, participants, fast, letIn }
  }
  return { redis, gateway }
}

test('two who ask at once for the last sure place do not both get it while others are under way', async () => {
  const { redis, gateway } = deployment()
  redis.used = 6
  const { fast, participants } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  const underWay = fast('fast', 3)
  expect(underWay).toHaveLength(3)
  const slow = Promise.all(['a', 'b', 'c', 'd'].map((userId) => participants.take(userId, subject)))
  await ticks(SETTLED)
  for (const place of underWay) place.settle?.('accepted', true)
  expect((await slow).filter((place) => place?.allowed)).toHaveLength(1)
})

test('what is counted last is what is known, whichever way it was counted', async () => {
  const { gateway } = deployment()
  const { fast, participants, letIn } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  const underWay = fast('fast', 5)
  expect(underWay).toHaveLength(5)
  const slow = participants.take('slow', subject)
  await ticks(1)
  for (const place of underWay) place.settle?.('accepted', true)
  const place = await slow
  place?.settle?.('accepted')
  await ticks(SETTLED)
  expect(place?.allowed).toBe(true)
  expect(await letIn('next', 20)).toBe(LIMIT - 6)
})

test('what others counted in between is known when this process counts alone again', async () => {
  const { gateway } = deployment()
  const [a, b] = [gateway(), gateway()]
  const before = await a.letIn('a', 1)
  a.mode.isAlone = false
  const between = await b.letIn('b', 20)
  Object.assign(a.mode, { isAlone: true, era: 2 })
  const after = await a.letIn('c', 20)
  expect([before, before + between, after]).toEqual([1, LIMIT, 0])
})

test('calls under way when the right to count alone ran out for a moment keep their places', async () => {
  const { gateway } = deployment()
  const { mode, fast } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  const before = fast('before', 12)
  mode.isAlone = false
  expect(fast('meanwhile', 1)).toEqual([])
  Object.assign(mode, { isAlone: true, era: 2 })
  fast('again', 1)
  await ticks(SETTLED)
  expect(before.length + fast('after', 12).length).toBe(LIMIT)
})

test('who came while Redis was away counts when it is back', async () => {
  const { redis, gateway } = deployment()
  const { fast, letIn } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  redis.isAway = true
  const away = await letIn('away', 9)
  redis.isAway = false
  expect(away + (await letIn('back', 1)) + (await letIn('more', 20))).toBe(LIMIT)
})

test('an answer that Redis does not give does not empty a window that is nearly full', async () => {
  const { redis, gateway } = deployment()
  redis.used = 8
  const { fast, letIn } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  redis.isAway = true
  expect(await letIn('one', 1)).toBe(1)
  expect(fast('others', 20)).toHaveLength(1)
})

test('who became known while waiting for a place needs none', async () => {
  const { redis, gateway } = deployment()
  redis.used = 9
  const { fast, participants } = gateway()
  fast('first', 1)
  await ticks(SETTLED)
  const [checkin] = fast('pilgrim', 1)
  const sync = participants.take('pilgrim-0', subject)
  await ticks(SETTLED)
  checkin?.settle?.('accepted', true)
  expect(await sync).toBeUndefined()
})
