import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '@palanquin/bench/pilgrimage/measure'
import { needsOf, PEAK } from '@palanquin/bench/pilgrimage/peak'
import { report } from '@palanquin/bench/pilgrimage/report'
import { homeAt, openHome } from '@palanquin/stack/run-state/home'
import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { HOME_FLAG, homeFolder, readArguments, wholeNumber } from '../arguments.ts'

const FLAGS = {
  ...HOME_FLAG,
  walkers: { type: 'string' },
  minutes: { type: 'string' },
  driven: { type: 'string' },
} as const
/** The cost per participant is constant at one request a minute: more participants are arithmetic. */
const DRIVEN_DEFAULT = 3_000

/**
 * `bench pilgrimage`: some participants in compressed time on a stack of its own, the cost of each of their
 * actions, and from that what `--walkers` participants need at their peak.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('bench', args, { flags: FLAGS, positionalsMax: 1 })
  const bounds = { minimum: 100, maximum: 10_000_000 }
  const participants = wholeNumber('bench', 'walkers', values.walkers, { ...bounds, fallback: 300_000 })
  const minutes = wholeNumber('bench', 'minutes', values.minutes, { minimum: 1, maximum: 600, fallback: 10 })
  const fallback = Math.min(participants, DRIVEN_DEFAULT)
  const driven = wholeNumber('bench', 'driven', values.driven, { ...bounds, fallback })
  const home = homeAt(homeFolder(values.home))
  openHome(home)
  console.log(
    `pilgrimage: ${driven.toLocaleString('en-US')} participants for ${minutes} minutes in compressed time, ${PEAK.pointsPerSync} points a minute each`,
  )
  const stack = await startThrowawayStack({
    FLUSH_SCHEDULE: '0 0 1 1 *',
    PUBLIC_READ_LIMIT: '10000000',
    NEW_PARTICIPANT_LIMIT: '10000000',
  })
  try {
    const measured = await measure(stack, {
      participants: driven,
      minutes,
      log: (line) => console.log(`  ${line}`),
    })
    console.log(report(measured, participants))
    mkdirSync(home.benchmarks, { recursive: true })
    const file = join(home.benchmarks, `pilgrimage-${new Date().toISOString().replaceAll(':', '-')}.json`)
    writeFileSync(
      file,
      `${JSON.stringify({ ...measured, peak: PEAK, needs: needsOf(measured.costs, participants) }, null, 2)}\n`,
    )
    console.log(`\nAs JSON: ${file}`)
    return 0
  } finally {
    await stack.close()
  }
}
