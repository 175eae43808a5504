import { expect, test } from 'bun:test'
import { describeFault, type Fault, linksOf, processesOf } from './faults.ts'
import { planFaults } from './schedule.ts'

test('the same seed gives the same schedule, another seed another one', () => {
  const plan = (seed: number, copies: number) => planFaults({ seed, lastsMs: 60_000, copies })
  for (const copies of [1, 2]) {
    expect(plan(7, copies)).toEqual(plan(7, copies))
    expect(plan(7, copies)).not.toEqual(plan(8, copies))
  }
})

test('a quarter of an hour stops every process in every way, and breaks every link', () => {
  const faults = planFaults({ seed: 1, lastsMs: 15 * 60_000, copies: 1 })
  expectAllDown(faults, processesOf(1))
  const broken = new Set<string>(faults.flatMap((fault) => (fault.kind === 'link' ? [fault.link] : [])))
  for (const link of linksOf(1)) expect(broken).toContain(link)
  for (const kind of ['steal', 'expire', 'backends', 'restart'] as const)
    expect(faults.map((fault) => fault.kind)).toContain(kind)
})

test('with two copies of each service both are stopped, and links of both are broken', () => {
  const faults = planFaults({ seed: 1, lastsMs: 15 * 60_000, copies: 2 })
  expect(processesOf(2)).toContain('line-bot-2')
  expectAllDown(faults, processesOf(2))
  const broken = faults.flatMap((fault) => (fault.kind === 'link' ? fault.link.split(' → ') : []))
  for (const name of [...processesOf(2), 'line']) expect(broken).toContain(name)
})

test('every link of the stack is there: to the stores, to LINE, and between services', () => {
  expect(linksOf(1)).toHaveLength(26)
  for (const link of [
    'line-bot → line',
    'engagement → tracking',
    'engagement → map',
    'gateway → map',
    'media → engagement',
    'line-bot → tracking',
  ])
    expect(linksOf(1)).toContain(link)
  expect(linksOf(2)).toContain('gateway → tracking-2')
  expect(linksOf(2)).toContain('engagement-2 → tracking')
})

test('faults are in order of time, within the run, and overlap', () => {
  const faults = planFaults({ seed: 3, lastsMs: 60_000, copies: 1 })
  expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b))
  expect(faults.at(-1)?.atMs).toBeLessThan(60_000)
  const overlapping = faults.filter((fault, index): boolean => {
    const next = faults[index + 1]
    return 'forMs' in fault && next !== undefined && fault.atMs + fault.forMs > next.atMs
  })
  expect(overlapping.length).toBeGreaterThan(3)
})

function expectAllDown(faults: readonly Fault[], processes: readonly string[]): void {
  const words = new Set(faults.map((fault) => describeFault(fault).replace(/ for [\d.]+ s/, '')))
  for (const target of processes) {
    expect(words).toContain(`kill -9 ${target}`)
    expect(words).toContain(`stop ${target} (SIGSTOP)`)
  }
}
