import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { backoffMs, retry } from './retry.ts'

const QUICK = { minMs: 1, maxMs: 2 }

test('a backoff doubles from its first pause to its longest, and jitter only shortens it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, minMs, jitter, chance) => {
        const whole = backoffMs(failures, { minMs, maxMs: 5_000, jitter: 0 })
        expect(whole).toBe(failures > 20 ? 5_000 : Math.min(5_000, minMs * 2 ** (failures - 1)))
        const some = backoffMs(failures, { minMs, maxMs: 5_000, jitter, random: () => chance })
        expect(some).toBeLessThanOrEqual(whole)
        expect(some).toBeGreaterThanOrEqual(whole * (1 - jitter) - 1e-9)
      },
    ),
    { seed: 1, numRuns: 200 },
  )
})

test('work is done until it succeeds', async () => {
  const attempts: number[] = []
  const work = async (attempt: number) => {
    attempts.push(attempt)
    if (attempt < 4) throw new Error('not yet')
    return 'done'
  }
  expect(await retry(work, QUICK)).toBe('done')
  expect(attempts).toEqual([1, 2, 3, 4])
})

test('the last failure is what comes of giving up, by attempts, by time, by its kind and by a signal', async () => {
  const fail = (attempt: number) => Promise.reject(new Error(`failure ${attempt}`))
  const giveUp = (limits: object) =>
    retry(fail, { ...QUICK, ...limits }).catch((error: Error) => error.message)
  expect(await giveUp({ attemptsMax: 3 })).toBe('failure 3')
  expect(await giveUp({ minMs: 1_000, maxMs: 1_000, withinMs: 100 })).toBe('failure 1')
  expect(await giveUp({ isRetryable: (error: unknown) => !String(error).includes('2') })).toBe('failure 2')
  const stopping = new AbortController()
  const stopped = giveUp({ minMs: 60_000, maxMs: 60_000, signal: stopping.signal })
  stopping.abort()
  expect(await stopped).toBe('failure 1')
})
