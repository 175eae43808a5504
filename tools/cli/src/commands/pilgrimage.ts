import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needsOf, PEAK, SYNC_SIZES } from '@palanquin/bench/pilgrimage/peak'
import { pilgrimage } from '@palanquin/bench/pilgrimage/pilgrimage'
import { report } from '@palanquin/bench/pilgrimage/report'
import { BENCH_SETTINGS } from '@palanquin/bench/settings'
import { homeAt, openHome } from '@palanquin/stack/run-state/home'
import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { HOME_FLAG, homeFolder, readArguments, wholeNumber } from '../arguments.ts'
import { deploymentOf } from '../test-runner/deployment.ts'

const FLAGS = {
  ...HOME_FLAG,
  walkers: { type: 'string' },
  driven: { type: 'string' },
  crowd: { type: 'string' },
  minutes: { type: 'string' },
  redis: { type: 'string' },
  copies: { type: 'string' },
} as const
/** Enough for the cost of an action, which hardly depends on how many send it. */
const SAMPLE_DEFAULT = 3_000

/**
 * `bench pilgrimage`: a stack of its own with `--walkers` people in its stores; the cost of each action, of `--driven` of them
 * in compressed time; from that what two cores hold; and then for `--minutes` really what so many (or `--crowd`) send at
 * their peak. `--redis cluster` and `--copies 2` do so on another deployment.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('bench', args, { flags: FLAGS, positionalsMax: 1 })
  const number = (name: 'walkers' | 'driven' | 'crowd', fallback: number) =>
    wholeNumber('bench', name, values[name], { minimum: 100, maximum: 10_000_000, fallback })
  const people = number('walkers', 300_000)
  const sample = number('driven', Math.min(Math.floor(people / SYNC_SIZES.length), SAMPLE_DEFAULT))
  const crowd = values.crowd === undefined ? undefined : number('crowd', people)
  const minutes = wholeNumber('bench', 'minutes', values.minutes, { minimum: 1, maximum: 600, fallback: 10 })
  Object.assign(process.env, deploymentOf(values).env)
  const home = homeAt(homeFolder(values.home))
  openHome(home)
  const stack = await startThrowawayStack(BENCH_SETTINGS)
  try {
    const log = (line: string) => console.log(`  ${line}`)
    const { measured, driven } = await pilgrimage(stack, { people, sample, minutes, crowd, log })
    console.log(report(measured, driven))
    mkdirSync(home.benchmarks, { recursive: true })
    const file = join(home.benchmarks, `pilgrimage-${new Date().toISOString().replaceAll(':', '-')}.json`)
    const needs = [measured.costs, ...measured.larger].map((costs) => needsOf(costs, people))
    const facts = { ...measured, driven, peak: PEAK, needs }
    writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`)
    console.log(`\nAs JSON: ${file}`)
    return 0
  } finally {
    await stack.close()
  }
}
