import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeyHasher } from './key-hash.ts'
import { LocalWindows } from './local-windows.ts'

const RULE = { limit: 3, windowMs: 1_000 }
const MINUTE_MS = 60_000
const hasher = new KeyHasher('of this test')
const key = (id: string) => hasher.hash('rule', id)

test('at no time has a window admitted more than its limit, nor fewer than fit', () => {
  const checks = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.constantFrom('a', 'b')), { maxLength: 80 })
  fc.assert(
    fc.property(checks, fc.constantFrom(1_000, 600_000), (calls, windowMs) => {
      const windows = new LocalWindows()
      const admitted: Record<string, number[]> = { a: [], b: [] }
      let nowMs = 0
      for (const [pauses, id] of calls) {
        nowMs += (pauses * windowMs) / 1_000
        const before = admitted[id]?.filter((time) => time > nowMs - windowMs).length ?? 0
        const { allowed, used } = windows.count(key(id), { limit: 3, windowMs, take: true, nowMs })
        expect(allowed).toBe(before < RULE.limit)
        expect(used).toBe(Math.min(before + 1, RULE.limit))
        if (allowed) admitted[id]?.push(nowMs)
      }
    }),
    { seed: 20260417 },
  )
})

test('a refused call neither counts nor extends the wait', () => {
  const windows = new LocalWindows()
  for (let i = 0; i < RULE.limit; i++) windows.count(key('a'), { ...RULE, take: true, nowMs: 0 })
  for (let nowMs = 100; nowMs < 1_000; nowMs += 100)
    expect(windows.count(key('a'), { ...RULE, take: true, nowMs })).toMatchObject({
      allowed: false,
      used: 3,
      freeInMs: 1_000 - nowMs,
    })
  expect(windows.count(key('a'), { ...RULE, take: true, nowMs: 1_000 }).allowed).toBe(true)
})

test('a look counts nothing, and a place that is given back can be taken again', () => {
  const windows = new LocalWindows()
  for (let i = 0; i < 10; i++) windows.count(key('a'), { ...RULE, take: false, nowMs: 0 })
  const taken = Array.from({ length: RULE.limit }, (_, i) =>
    windows.count(key('a'), { ...RULE, take: true, nowMs: i }),
  )
  expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true])
  taken[1]?.table.giveBack(taken[1].entry)
  expect(windows.count(key('a'), { ...RULE, take: true, nowMs: 5 }).allowed).toBe(true)
  expect(windows.count(key('a'), { ...RULE, take: true, nowMs: 6 }).allowed).toBe(false)
})

test('names of rules divide the same id', () => {
  const windows = new LocalWindows()
  for (let i = 0; i < RULE.limit; i++)
    windows.count(hasher.hash('one', 'a'), { ...RULE, take: true, nowMs: 0 })
  expect(windows.count(hasher.hash('one', 'a'), { ...RULE, take: true, nowMs: 1 }).allowed).toBe(false)
  expect(windows.count(hasher.hash('two', 'a'), { ...RULE, take: true, nowMs: 1 }).allowed).toBe(true)
  expect(windows.count(hasher.hash('a', 'one'), { ...RULE, take: true, nowMs: 1 }).used).toBe(1)
})

test('made-up ids take bounded memory, and a key in use outlives them', () => {
  const windows = new LocalWindows({ entriesMax: 2 ** 14 })
  for (let i = 0; i < 10_000; i++)
    windows.count(key('in use'), { limit: 1e9, windowMs: MINUTE_MS, take: true, nowMs: 0 })
  for (let hi = 0; hi < 100_000; hi++)
    windows.count({ hi, lo: hi * 97 }, { ...RULE, windowMs: MINUTE_MS, take: true, nowMs: 0 })
  expect(windows.size).toBe(2 ** 14)
  expect(windows.lostMs).toBe(0)
  const look = { limit: 1e9, windowMs: MINUTE_MS, take: false, nowMs: 1 }
  expect(windows.count(key('in use'), look).used).toBe(10_000)
})

test('memory follows the traffic down, also without a call', () => {
  const windows = new LocalWindows()
  const rule = { ...RULE, windowMs: MINUTE_MS, take: true }
  for (let id = 0; id < 20_000; id++) windows.count(key(`${id}`), { ...rule, nowMs: id / 100 })
  windows.shrink(50_000)
  expect(windows.size).toBe(20_000)
  for (let i = 0; i < 2_000; i++) windows.count(key('still here'), { ...rule, limit: 1e9, nowMs: 70_000 })
  expect(windows.size).toBe(2_000)
  for (let i = 0; i < 3; i++) windows.shrink(140_000)
  expect(windows.size).toBe(0)
})

const calls = fc.array(fc.tuple(fc.nat({ max: 9_000 }), fc.constantFrom('a', 'b')), { maxLength: 60 })

test('what was admitted alone is spent for a minute; what came before it is not', () => {
  fc.assert(
    fc.property(calls, calls, calls, (before, alone, after) => {
      const windows = new LocalWindows()
      const limit = 1_000
      const count = (id: string, take: boolean) =>
        windows.count(key(id), { limit, windowMs: MINUTE_MS, take, nowMs })
      const spent: Record<string, number[]> = { a: [], b: [] }
      let nowMs = 0
      for (const [pauseMs, id] of before) {
        nowMs += pauseMs
        count(id, true)
      }
      nowMs++
      windows.beginEra(nowMs)
      for (const [pauseMs, id] of alone) {
        nowMs += pauseMs
        expect(count(id, true).spent).toBe(0)
        spent[id]?.push(nowMs)
      }
      windows.endEra(nowMs)
      for (const [pauseMs, id] of after) {
        nowMs += pauseMs
        const still = spent[id]?.filter((atMs) => atMs > nowMs - MINUTE_MS).length
        expect(count(id, true).spent).toBe(Number(still))
      }
    }),
    { seed: 20260502 },
  )
})

test('what was spent elsewhere leaves less of the limit, and says when it is free again', () => {
  const windows = new LocalWindows()
  const rule = { limit: 3, windowMs: MINUTE_MS, take: true }
  windows.learnEra(
    [
      { key: key('a'), atMs: -50_000 },
      { key: key('a'), atMs: -10_000 },
    ],
    0,
  )
  expect(windows.count(key('a'), { ...rule, nowMs: 1_000 })).toMatchObject({
    allowed: true,
    spent: 2,
    used: 3,
  })
  expect(windows.count(key('a'), { ...rule, nowMs: 2_000 })).toMatchObject({
    allowed: false,
    freeInMs: 8_000,
  })
  expect(windows.count(key('a'), { ...rule, nowMs: 10_000 })).toMatchObject({ allowed: true, spent: 1 })
  expect(windows.count(key('a'), { ...rule, nowMs: 60_000 })).toMatchObject({
    allowed: true,
    spent: 0,
    used: 3,
  })
})
