import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeyHasher } from './key-hash.ts'
import { WindowTable } from './window-table.ts'

const KEEP_MS = 1_000
const hasher = new KeyHasher('of this test')
const key = (id: string) => hasher.hash('rule', id)
const tableOf = (entriesMax = 2 ** 16) => new WindowTable({ keepMs: KEEP_MS, entriesMax })

const step = fc.record({
  pauseMs: fc.nat({ max: 120 }),
  id: fc.nat({ max: 12 }),
  what: fc.constantFrom('take', 'take', 'take', 'take', 'look', 'give back', 'shrink'),
  limit: fc.constantFrom(1, 3, 40),
  windowMs: fc.constantFrom(KEEP_MS, KEEP_MS, 300),
  /** Of the calls that were admitted so far, which to give back. */
  which: fc.nat(),
})

test('counts as a list of times for each key does, whatever is taken, looked at and given back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = tableOf()
      const times = new Map<number, number[]>()
      const admitted: { id: number; atMs: number; entry: number }[] = []
      let nowMs = 0
      for (const { pauseMs, id, what, limit, windowMs, which } of steps) {
        nowMs += pauseMs
        if (what === 'shrink') table.shrink(nowMs)
        const given = admitted[which % admitted.length]
        if (what === 'give back' && given) {
          table.giveBack(given.entry)
          const list = times.get(given.id) ?? []
          const at = list.indexOf(given.atMs)
          if (at >= 0) list.splice(at, 1)
          admitted.splice(admitted.indexOf(given), 1)
        }
        if (what !== 'take' && what !== 'look') continue
        const before = (times.get(id) ?? []).filter((atMs) => atMs > nowMs - windowMs)
        const take = what === 'take'
        const { entry, ...count } = table.count(key(`${id}`), { limit, windowMs, take, nowMs })
        const allowed = before.length < limit
        expect(count).toEqual({
          allowed,
          used: before.length + (allowed && take ? 1 : 0),
          freeInMs: (before[0] ?? nowMs) + windowMs - nowMs,
        })
        if (!allowed || !take) expect(entry).toBe(-1)
        else {
          admitted.push({ id, atMs: nowMs, entry })
          times.set(id, [...(times.get(id) ?? []), nowMs])
        }
      }
    }),
    { seed: 20260501, numRuns: 200 },
  )
})

test('grows for a crowd, knows each of them exactly, and gives the memory back', () => {
  const table = tableOf(2 ** 20)
  const ids = Array.from({ length: 10_000 }, (_, i) => key(`crowd-${i}`))
  const RULE = { limit: 2, windowMs: KEEP_MS, take: true }
  const expected = [
    { nowMs: 0, allowed: true, freeInMs: KEEP_MS },
    { nowMs: 1, allowed: true, freeInMs: 999 },
    { nowMs: 2, allowed: false, freeInMs: 998 },
    { nowMs: 1_000, allowed: true, freeInMs: 1 },
    { nowMs: 1_000.5, allowed: false, freeInMs: 0.5 },
  ]
  for (const { nowMs, allowed, freeInMs } of expected) {
    const counts = ids.map((id) => table.count(id, { ...RULE, nowMs }))
    expect(counts.filter((count) => count.allowed !== allowed || count.freeInMs !== freeInMs)).toEqual([])
  }
  for (let i = 0; i < 5; i++) table.shrink(5_000)
  expect(table.size).toBe(0)
})

test('what finds no room is admitted and reported, and what was counted before stays', () => {
  const table = tableOf(1_024)
  const rule = { limit: 3, windowMs: KEEP_MS, take: true }
  for (let i = 0; i < 3; i++) table.count(key('here before'), { ...rule, nowMs: i })
  expect(table.lostMs).toBe(Number.NEGATIVE_INFINITY)
  for (let i = 0; i < 100_000; i++) table.count(key(`made-up-${i}`), { ...rule, nowMs: 10 })
  expect([table.size, table.lostMs]).toEqual([1_024, 10])
  expect(table.count(key('one more'), { ...rule, nowMs: 20 })).toMatchObject({ allowed: true, entry: -1 })
  expect(table.count(key('here before'), { ...rule, nowMs: 20 }).allowed).toBe(false)
  expect(table.count(key('here before'), { ...rule, nowMs: 1_000 }).allowed).toBe(true)
})

test('a call that was let through later leaves its window so much later', () => {
  const table = tableOf()
  const rule = { limit: 1, windowMs: KEEP_MS, take: true }
  const { entry } = table.count(key('a'), { ...rule, nowMs: 0 })
  table.restamp(entry, 8)
  expect(table.count(key('a'), { ...rule, nowMs: 1_007 })).toMatchObject({ allowed: false, freeInMs: 1 })
  expect(table.count(key('a'), { ...rule, nowMs: 1_008 }).allowed).toBe(true)
})

test('an entry that has left is not given back in the place of another', () => {
  const table = tableOf(1_024)
  const rule = { limit: 1, windowMs: KEEP_MS, take: true }
  const { entry } = table.count(key('a'), { ...rule, nowMs: 0 })
  for (let i = 0; i < 2_000; i++) table.count(key(`${i}`), { ...rule, nowMs: 2_000 + i * 10 })
  const before = table.size
  table.giveBack(entry)
  for (let i = 1_950; i < 2_000; i++)
    expect(table.count(key(`${i}`), { ...rule, nowMs: 22_000 }).allowed).toBe(i * 10 + 2_000 <= 21_000)
  expect(before).toBeGreaterThan(0)
})
