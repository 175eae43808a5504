import { type Measured, median } from '../benchmark.ts'
import { cpuUsEach, type Used, type UsedBy } from '../load/cpu.ts'
import type { LoadResult } from '../load/plan.ts'

/** The result of one side's round: `sent` operations. */
export type Driven = Pick<LoadResult, 'sent' | 'perSecond'> &
  Partial<Pick<LoadResult, 'p50Ms' | 'p99Ms' | 'cpuMs'>>
/** With the servers' cost per operation. */
export type RoundResult = Driven & { cpuUs: number; cpuBy: Used }
export type Side = { drive: () => Promise<Driven>; used: UsedBy }
export type RoundResults = { ours: RoundResult[]; yardstick: RoundResult[] }

/** Work behind the last response (a write, the map) belongs to that round too. */
export const SETTLE_MS = 200

export async function measureRound({ drive, used }: Side): Promise<RoundResult> {
  const before = used()
  const driven = await drive()
  await Bun.sleep(SETTLE_MS)
  const { us, by } = cpuUsEach(before, used(), driven.sent)
  return { ...driven, cpuUs: us, cpuBy: by }
}

/** Processor time of all servers together, in ms a second, that is no work that was left. */
const QUIET_MS_PER_S = 100
const QUIET_LOOK_MS = 500
const QUIET_LOOKS_MAX = 120

/** Waits until the servers have done what a flush or a round left to them: events, analysing tables. */
export async function untilQuiet(
  used: UsedBy,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Promise<void> {
  for (let look = 0; look < QUIET_LOOKS_MAX; look++) {
    const before = used()
    await sleep(QUIET_LOOK_MS)
    if (cpuUsEach(before, used(), QUIET_LOOK_MS).us <= QUIET_MS_PER_S) return
  }
}

/** Alternates both sides, so that other work on the machine hits both. The yardstick comes first. */
export async function alternateRounds(
  rounds: number,
  { ours, yardstick }: { ours: Side; yardstick: Side },
  afterRound: (round: number, last: { ours: RoundResult; yardstick: RoundResult }) => unknown = () => {},
): Promise<RoundResults> {
  const turns: RoundResults = { ours: [], yardstick: [] }
  for (let round = 1; round <= rounds; round++) {
    const last = { yardstick: await measureRound(yardstick), ours: await measureRound(ours) }
    turns.yardstick.push(last.yardstick)
    turns.ours.push(last.ours)
    await afterRound(round, last)
  }
  return turns
}

/** Operations a second, with the servers' processor time. `times`: units per operation. */
export const throughputOf = (
  { ours, yardstick }: RoundResults,
  { unit = 'requests/s', times = 1 } = {},
): Omit<Measured, 'notes'> => ({
  unit,
  ours: ours.map(({ perSecond }) => perSecond * times),
  yardstick: yardstick.map(({ perSecond }) => perSecond * times),
  cpuUs: {
    ours: ours.map(({ cpuUs }) => cpuUs / times),
    yardstick: yardstick.map(({ cpuUs }) => cpuUs / times),
  },
})

/** Median and 99th percentile of the latency in milliseconds. */
export const latencyOf = (
  { ours, yardstick }: RoundResults,
  share: 'p50Ms' | 'p99Ms',
): Omit<Measured, 'notes'> => ({
  unit: 'ms',
  ours: ours.map((turn) => turn[share] ?? Number.NaN),
  yardstick: yardstick.map((turn) => turn[share] ?? Number.NaN),
})

/** Servers below this share of an operation are not listed. */
const NAMED_US_MIN = 1

/** Cost of an operation by server, as text. */
export function costNote({ ours, yardstick }: RoundResults, piece = 'a request'): string {
  const each = Object.keys(ours[0]?.cpuBy ?? {})
    .map((name) => ({ name, us: median(ours.map(({ cpuBy }) => cpuBy[name] ?? Number.NaN)) }))
    .filter(({ us }) => us >= NAMED_US_MIN)
    .map(({ name, us }) => `${name} ${us.toFixed(0)}`)
  const usOf = (turns: RoundResult[]) => `${median(turns.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs`
  const loads = ours.flatMap(({ cpuMs, sent }) => (cpuMs === undefined ? [] : [(cpuMs / sent) * 1_000]))
  return [
    `processor time of the servers ${piece}: ${each.join(', ')}, together ${usOf(ours)}`,
    ...(yardstick.length > 0 ? [`the yardstick ${usOf(yardstick)}`] : []),
    ...(loads.length > 0 ? [`the load, which is not counted, ${median(loads).toFixed(0)} µs`] : []),
  ].join('; ')
}
