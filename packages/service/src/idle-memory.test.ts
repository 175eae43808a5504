import { expect, test } from 'bun:test'
import { shrinkWhenIdle } from './start-service.ts'

const MINUTE_MS = 60_000
const IDLE_MS = 1_000
const BUSY_MS = 20_000

test('a process shrinks after the first idle minute that follows its start or a busy one, and once', async () => {
  let [cpuMs, nowMs, shrinks] = [0, 0, 0]
  const { run } = shrinkWhenIdle({ cpuMs: () => cpuMs, nowMs: () => nowMs, shrink: () => shrinks++ })
  const shrinksAfter = async (usedMs: number): Promise<number> => {
    cpuMs += usedMs
    nowMs += MINUTE_MS
    const before = shrinks
    await run()
    return shrinks - before
  }
  const minutes: [usedMs: number, shrinks: number][] = [
    [BUSY_MS, 0],
    [IDLE_MS, 1],
    [IDLE_MS, 0],
    [BUSY_MS, 0],
    [BUSY_MS, 0],
    [IDLE_MS, 1],
    [IDLE_MS, 0],
  ]
  for (const [usedMs, wanted] of minutes) expect(await shrinksAfter(usedMs)).toBe(wanted)
})

test('a process that does nothing from its start on shrinks once', async () => {
  let [nowMs, shrinks] = [0, 0]
  const { run } = shrinkWhenIdle({ cpuMs: () => 0, nowMs: () => nowMs, shrink: () => shrinks++ })
  await run() // at once: no time has passed
  expect(shrinks).toBe(0)
  for (const _ of Array(3)) {
    nowMs += MINUTE_MS
    await run()
  }
  expect(shrinks).toBe(1)
})
