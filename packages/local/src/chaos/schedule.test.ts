import { expect, test } from 'bun:test'
import { inWords, LINKS, PROCESSES } from './faults.ts'
import { planFaults } from './schedule.ts'

test('the same seed gives the same schedule, another seed another one', () => {
  const plan = (seed: number) => planFaults({ seed, lastsMs: 60_000 })
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
})

test('a quarter of an hour brings every process down in every way, and breaks every link', () => {
  const faults = planFaults({ seed: 1, lastsMs: 15 * 60_000 })
  const words = new Set(faults.map((fault) => inWords(fault).replace(/ for [\d.]+ s/, '')))
  for (const target of PROCESSES) {
    expect(words).toContain(`kill -9 ${target}`)
    expect(words).toContain(`stop ${target} (SIGSTOP)`)
  }
  const broken = new Set<string>(faults.flatMap((fault) => (fault.kind === 'link' ? [fault.link] : [])))
  for (const link of LINKS) expect(broken).toContain(link)
  for (const kind of ['steal', 'expire', 'backends', 'restart'] as const)
    expect(faults.map((fault) => fault.kind)).toContain(kind)
})

test('faults are in order of time, within the run, and overlap', () => {
  const faults = planFaults({ seed: 3, lastsMs: 60_000 })
  expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b))
  expect(faults.at(-1)?.atMs).toBeLessThan(60_000)
  const overlapping = faults.filter((fault, index): boolean => {
    const next = faults[index + 1]
    return 'forMs' in fault && next !== undefined && fault.atMs + fault.forMs > next.atMs
  })
  expect(overlapping.length).toBeGreaterThan(3)
})
