import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Answer, BATCH_MAX, deliveryOf } from './delivery.ts'
import type { StoredEntry, TrackPoint } from './entry.ts'
import { createSender, type SenderState } from './sender.ts'

const SEED = 18
const answerOf = (status: number, body: unknown = {}): Answer => ({ status, retryAfterS: null, body })
const taken = (points: readonly unknown[], rejected: object[] = []): Answer =>
  answerOf(200, { ok: true, data: { received: points.length, rejected } })
const pointAt = (recordedAt: number): TrackPoint => ({ lat: 24, lng: 120, accuracy: 5, recordedAt })

type Step = 'lost' | 'lost answer' | 'portal' | number

/** An outbox in memory, a service that answers as a script says. */
function world(count: number, script: Step[]) {
  const entries: StoredEntry[] = Array.from({ length: count }, (_, seq) => ({
    seq,
    userId: 'w_one',
    point: pointAt(seq),
    state: 'waiting' as const,
  }))
  const known = new Map<number, number>()
  const sizes: number[] = []
  const states: SenderState[] = []
  const waits: number[] = []
  let later: (() => void) | undefined
  let nowMs = 0
  const receive = (points: readonly TrackPoint[]): Answer => {
    for (const { recordedAt } of points) known.set(recordedAt, (known.get(recordedAt) ?? 0) + 1)
    return taken(points)
  }
  const sender = createSender({
    outbox: {
      oldest: async (size) => entries.filter(({ state }) => state === 'waiting').slice(0, size),
      settle: async ({ delivered, refused }) => {
        for (const { seq } of delivered) {
          expect(known.has(seq)).toBe(true)
          entries.splice(
            entries.findIndex((entry) => entry.seq === seq),
            1,
          )
        }
        for (const { seq } of refused)
          entries.splice(
            entries.findIndex((entry) => entry.seq === seq),
            1,
          )
      },
    },
    post: async (points) => {
      sizes.push(points.length)
      const step = script.shift()
      if (step === undefined || step === 200) return receive(points)
      if (step === 'lost') return null
      if (step === 'portal') return answerOf(200, '<html>Welcome to our hotel</html>')
      if (step === 413 && points.length < 40) return receive(points)
      if (step !== 'lost answer') return answerOf(step)
      receive(points)
      return null
    },
    onChange: (state) => states.push(state),
    nowMs: () => nowMs,
    random: () => 0.5,
    after: (ms, run) => {
      waits.push(ms)
      later = () => {
        nowMs += ms
        run()
      }
      return () => {
        later = undefined
      }
    },
  })
  /** Wakes it as often as a phone does, until nothing waits. */
  const settle = async () => {
    for (let turn = 0; entries.length > 0 && turn < 200; turn++) {
      await sender.wake()
      const next = later
      later = undefined
      next?.()
      await Bun.sleep(0)
    }
  }
  return { entries, known, sizes, states, waits, sender, settle }
}

describe('the outbox', () => {
  test('loses nothing, whatever the network and the service answer, and empties once they are well', async () => {
    const step = fc.constantFrom<Step>(
      'lost',
      'lost answer',
      'portal',
      200,
      400,
      401,
      403,
      404,
      413,
      429,
      500,
      503,
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1_300 }),
        fc.array(step, { maxLength: 25 }),
        async (count, script) => {
          const { entries, known, sizes, settle } = world(count, [...script])
          await settle()
          expect(entries).toEqual([])
          expect([...known.keys()].sort((a, b) => a - b)).toEqual(
            Array.from({ length: count }, (_, at) => at),
          )
          expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(BATCH_MAX)
          const again = [...known.values()].filter((times) => times > 1).length
          if (!script.includes('lost answer')) expect(again).toBe(0)
        },
      ),
      { seed: SEED, numRuns: 60 },
    )
  })

  test('1,000 points go in two batches at once', async () => {
    const { entries, sizes, sender } = world(1_000, [])
    await sender.wake()
    expect([entries.length, sizes]).toEqual([0, [500, 500]])
  })

  test('after 413 the batches become smaller until they fit', async () => {
    const { entries, sizes, sender } = world(100, [413, 413])
    await sender.wake()
    expect([entries.length, sizes]).toEqual([0, [100, 50, 25, 75]])
  })

  test('after 429 nothing is sent before the time that was named, however often it is woken', async () => {
    const { sizes, sender } = world(3, [429, 200])
    await sender.wake()
    await sender.wake()
    expect(sizes).toEqual([3])
  })

  test('the first point of a minute goes at once, the next ones wait for the end of the minute', async () => {
    const { entries, sizes, sender } = world(1, [])
    sender.added()
    await sender.wake()
    entries.push({ seq: 1, userId: 'w_one', point: pointAt(1), state: 'waiting' })
    sender.added()
    await Bun.sleep(0)
    expect([sizes, entries.length]).toEqual([[1], 1])
  })

  test('after 401 it waits for the person; the points stay', async () => {
    const { entries, waits, states, sender } = world(3, [401])
    await sender.wake()
    expect([entries.length, waits, states.at(-1)?.why]).toEqual([3, [], 'signed-out'])
  })
})

describe('an answer', () => {
  const judge = (answer: Answer, sent = 4) => deliveryOf(answer, { sent, random: 0.5 })

  test('gives up points only by a 200 that counts exactly these', () => {
    fc.assert(
      fc.property(fc.anything(), fc.integer({ min: 100, max: 599 }), (body, status) => {
        const { delivered, refused } = judge(answerOf(status, body))
        expect([delivered, refused]).toEqual([[], []])
      }),
      { seed: SEED },
    )
    for (const data of [
      { received: 3, rejected: [] },
      { received: 4 },
      { received: 4, rejected: [{ index: 4 }] },
    ])
      expect(judge(answerOf(200, { data })).delivered).toEqual([])
    expect(judge(taken([1, 2, 3, 4])).delivered).toEqual([0, 1, 2, 3])
  })

  test('that rejects points: never again what is wrong or too old, later what is ahead of the clock', () => {
    const rejected = [
      { index: 0, reason: 'too_old' },
      { index: 2, reason: 'future' },
    ]
    const { delivered, refused, againMs } = judge(taken([1, 2, 3, 4], rejected))
    expect([delivered, refused]).toEqual([[1, 3], [{ index: 0, reason: 'too_old' }]])
    expect(againMs).toBe(60_000)
  })

  test('503 comes back after 5 to 30 s, 429 when it says so', () => {
    for (const random of [0, 0.5, 1]) {
      const { againMs, why } = deliveryOf(answerOf(503), { sent: 1, random })
      expect([why, againMs]).toEqual(['busy', 5_000 + random * 25_000])
    }
    expect(judge({ status: 429, retryAfterS: 7, body: {} }).againMs).toBe(7_000)
  })
})
