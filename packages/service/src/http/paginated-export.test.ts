import { expect, describe as group, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { GONE, LINE_MAX, PaginatedExport, restAfter } from './paginated-export.ts'

const SEED = 20260501
const here = () => new AbortController().signal
const quiet = () => new PaginatedExport({ queuedMs: () => 0 })
/** Turns of which somebody holds one until `release`. */
function busyExport(turns = quiet()) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const holding = turns.take(() => promise, here())
  return { turns, release, holding }
}

group('pages', () => {
  test('are made one at a time, in the order in which they were wanted', async () => {
    const { turns, release } = busyExport()
    const made: number[] = []
    let atOnce = 0
    const make = (page: number) => async () => {
      expect(++atOnce).toBe(1)
      await Bun.sleep(1)
      atOnce--
      made.push(page)
      return page
    }
    const all = Promise.all([1, 2, 3, 4].map((page) => turns.take(make(page), here())))
    expect(turns.waiting).toBe(4)
    release()
    expect(await all).toEqual([1, 2, 3, 4])
    expect(made).toEqual([1, 2, 3, 4])
  })

  test('that fail do so for who wanted them, and the next one is made', async () => {
    const turns = quiet()
    const broken = turns.take(() => Promise.reject(new Error('a store is away')), here())
    const next = turns.take(async () => 'made', here())
    await expect(broken).rejects.toThrow('a store is away')
    expect(await next).toBe('made')
  })

  test('that a store is slow to give do not hold the others up for longer than a turn', async () => {
    const turns = new PaginatedExport({ queuedMs: () => 0, turnMsMax: 20 })
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = turns.take(() => promise, here())
    const others = [1, 2, 3].map((page) => turns.take(async () => page, here()))
    expect(await Promise.all(others)).toEqual([1, 2, 3])
    resolve('slow')
    expect(await slow).toBe('slow')
    expect(await turns.take(async () => 'free', here())).toBe('free')
  })

  test('of a client that has gone are not made, and hold up no other', async () => {
    const { turns, release, holding } = busyExport()
    const leaver = new AbortController()
    let isMade = false
    const left = turns.take(async () => {
      isMade = true
    }, leaver.signal)
    const next = turns.take(async () => 'made', here())
    leaver.abort()
    expect(turns.waiting).toBe(1)
    release()
    expect([await holding, await left, await next, isMade]).toEqual([undefined, GONE, 'made', false])
    expect(await turns.take(async () => 'made', leaver.signal)).toBe(GONE)
  })

  test('have a bounded queue: beyond it a download that has not begun is refused with a time to retry', async () => {
    const { turns, release } = busyExport()
    const waiting = Array.from({ length: LINE_MAX - 1 }, () => turns.take(async () => {}, here()))
    expect(turns.isFull).toBe(false)
    waiting.push(turns.take(async () => {}, here()))
    expect(turns.isFull).toBe(true)
    // Who has begun is never turned away.
    waiting.push(turns.take(async () => {}, here()))
    release()
    await Promise.all(waiting)
    expect(turns.isFull).toBe(false)
  })
})

group('the rest after a page', () => {
  /** Each page stands in line for a processor for so long. */
  function crowded(queuedMs: number) {
    const rests: number[] = []
    let atMs = 0
    const turns = new PaginatedExport({
      queuedMs: () => atMs,
      rest: async (ms) => {
        rests.push(ms)
      },
    })
    const page = () =>
      turns.take(async () => {
        atMs += queuedMs
      }, here())
    return { rests, page, turns }
  }

  test('is four times what others had the processor for while it was made, but for what its own stores take, within bounds', async () => {
    expect([0, 5, 5.2, 6, 60, 100, 5_000, -3].map(restAfter)).toEqual([0, 0, 0, 4, 220, 250, 250, 0])
    const { rests, page } = crowded(60)
    await page()
    await page()
    await until(() => rests.length === 2, { what: 'a rest after each page' })
    expect(rests).toEqual([220, 220])
  })

  test('is none where nothing else wants the processor', async () => {
    const { rests, page } = crowded(0)
    for (let i = 0; i < 100; i++) await page()
    expect(rests).toEqual([])
  })

  test('is over before the next page begins, also when that one is wanted later', async () => {
    const over = Promise.withResolvers<void>()
    let queuedMs = 0
    const turns = new PaginatedExport({ queuedMs: () => queuedMs, rest: () => over.promise })
    await turns.take(async () => {
      queuedMs += 50
    }, here())
    let isMade = false
    const next = turns.take(async () => {
      isMade = true
    }, here())
    await Bun.sleep(10)
    expect(isMade).toBe(false)
    over.resolve()
    await next
    expect(isMade).toBe(true)
  })
})

/** A download: its pages, each so many turns of the loop long; where it fails. */
const download = fc.record({
  pages: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 }),
  failsAt: fc.option(fc.nat(5), { freq: 4, nil: -1 }),
  goesAfter: fc.option(fc.nat(5), { freq: 4, nil: -1 }),
  queuedMs: fc.integer({ min: 0, max: 9 }),
})

test('whatever downloads do, one page is made at a time, none is overtaken twice, and the slot is free at the end', async () => {
  const property = fc.asyncProperty(fc.array(download, { minLength: 1, maxLength: 8 }), async (downloads) => {
    let queuedMs = 0
    const turns = new PaginatedExport({ queuedMs: () => queuedMs, rest: () => Bun.sleep(0) })
    const wanting = new Map<number, number[]>()
    let atOnce = 0
    const made = await Promise.all(
      downloads.map(async ({ pages, failsAt, goesAfter, queuedMs: queued }, id) => {
        const reader = new AbortController()
        let count = 0
        for (const [at, loops] of pages.entries()) {
          const passedBy: number[] = []
          wanting.set(id, passedBy)
          const make = async () => {
            expect(++atOnce).toBe(1)
            wanting.delete(id)
            for (const others of wanting.values()) others.push(id)
            for (let loop = 0; loop < loops; loop++) await Bun.sleep(0)
            queuedMs += queued
            atOnce--
            if (at === failsAt) throw new Error('a store is away')
            return at
          }
          const taken = turns.take(make, reader.signal)
          if (goesAfter === at) reader.abort()
          const page = await taken.catch(() => 'failed' as const)
          wanting.delete(id)
          expect(new Set(passedBy).size).toBe(passedBy.length)
          if (page === GONE || page === 'failed') break
          expect(page).toBe(at)
          count++
        }
        return count
      }),
    )
    for (const [id, { pages, failsAt, goesAfter }] of downloads.entries())
      if (failsAt < 0 && goesAfter < 0) expect(made[id]).toBe(pages.length)
    expect(turns.waiting).toBe(0)
    expect(await turns.take(async () => 'free', here())).toBe('free')
  })
  await fc.assert(property, { seed: SEED, numRuns: 200 })
})
