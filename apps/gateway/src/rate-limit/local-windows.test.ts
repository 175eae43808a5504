import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LocalWindows } from './local-windows.ts'

const RULE = { limit: 3, windowMs: 1_000 }

test('at no time has a window admitted more than its limit, nor fewer than fit', () => {
  const checks = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.constantFrom('a', 'b')), { maxLength: 80 })
  fc.assert(
    fc.property(checks, (calls) => {
      const windows = new LocalWindows()
      const admitted: Record<string, number[]> = { a: [], b: [] }
      let nowMs = 0
      for (const [pauseMs, key] of calls) {
        nowMs += pauseMs
        const before = admitted[key]?.filter((time) => time > nowMs - RULE.windowMs).length ?? 0
        const { allowed, used } = windows.count(key, { ...RULE, take: true, nowMs })
        expect(allowed).toBe(before < RULE.limit)
        expect(used).toBe(Math.min(before + 1, RULE.limit))
        if (allowed) admitted[key]?.push(nowMs)
      }
    }),
    { seed: 20260417 },
  )
})

test('a refused call neither counts nor extends the wait', () => {
  const windows = new LocalWindows()
  for (let i = 0; i < RULE.limit; i++) windows.count('a', { ...RULE, take: true, nowMs: 0 })
  for (let nowMs = 100; nowMs < 1_000; nowMs += 100)
    expect(windows.count('a', { ...RULE, take: true, nowMs })).toEqual({
      allowed: false,
      used: 3,
      freeInMs: 1_000 - nowMs,
    })
  expect(windows.count('a', { ...RULE, take: true, nowMs: 1_000 }).allowed).toBe(true)
})

test('a look counts nothing, and a place that is given back can be taken again', () => {
  const windows = new LocalWindows()
  for (let i = 0; i < 10; i++) windows.count('a', { ...RULE, take: false, nowMs: 0 })
  for (let i = 0; i < RULE.limit; i++)
    expect(windows.count('a', { ...RULE, take: true, nowMs: i }).allowed).toBe(true)
  windows.giveBack('a', 1)
  expect(windows.count('a', { ...RULE, take: true, nowMs: 5 }).allowed).toBe(true)
  expect(windows.count('a', { ...RULE, take: true, nowMs: 6 }).allowed).toBe(false)
})

test('a million made-up ids take bounded memory, and a key in use outlives them', () => {
  const windows = new LocalWindows({ keysMax: 500 })
  for (let id = 0; id < 1_000_000; id++) {
    windows.count(`made-up-${id}`, { ...RULE, take: true, nowMs: 0 })
    if (id % 100 === 0) windows.count('in use', { limit: 1e9, windowMs: 1_000, take: true, nowMs: 0 })
  }
  expect(windows.size).toBeLessThanOrEqual(500)
  expect(windows.size).toBeGreaterThanOrEqual(250)
  expect(windows.count('in use', { limit: 1e9, windowMs: 1_000, take: false, nowMs: 0 }).used).toBe(10_000)
})

test('an admitted call is remembered as long as its window, among up to half as many keys as fit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 120 }), fc.nat({ max: 12 })), { maxLength: 200 }),
      (calls) => {
        const windows = new LocalWindows({ keysMax: 40 })
        const admitted = new Map<string, number[]>()
        let nowMs = 0
        for (const [pauseMs, id] of calls) {
          nowMs += pauseMs
          const key = `id-${id}`
          const times = admitted.get(key) ?? []
          const windowMs = id % 2 === 0 ? 300 : 1_000
          const before = times.filter((time) => time > nowMs - windowMs).length
          const { allowed } = windows.count(key, { limit: 2, windowMs, take: true, nowMs })
          expect(allowed).toBe(before < 2)
          if (allowed) admitted.set(key, [...times, nowMs])
        }
      },
    ),
    { seed: 20260418 },
  )
})

test('memory follows the traffic down', () => {
  const windows = new LocalWindows()
  for (let id = 0; id < 1_000; id++) windows.count(`id-${id}`, { ...RULE, take: true, nowMs: 0 })
  for (let i = 0; i < 600; i++) windows.count('still here', { ...RULE, take: true, nowMs: 5_000 })
  expect(windows.size).toBeLessThan(10)
})

test('windows that are empty are dropped without a call', () => {
  const windows = new LocalWindows()
  for (let id = 0; id < 1_000; id++) windows.count(`${id}`, { ...RULE, take: true, nowMs: id / 10 })
  windows.dropEmpty(500)
  windows.dropEmpty(600)
  expect(windows.size).toBe(1_000)
  expect(windows.count('999', { ...RULE, take: false, nowMs: 600 }).used).toBe(1)
  for (const nowMs of [1_200, 1_201]) windows.dropEmpty(nowMs)
  expect(windows.size).toBe(0)
})
