import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { negativeControl } from '@palanquin/chaos/checks/negative-control'
import { describeFault } from '@palanquin/chaos/faults/faults'
import { planFaults } from '@palanquin/chaos/faults/schedule'
import { figuresFile, figuresOf } from '@palanquin/chaos/figures'
import { invariantHolds, reportOf } from '@palanquin/chaos/report'
import { runChaos } from '@palanquin/chaos/run'
import { runSeeds } from '@palanquin/chaos/seeds'
import { runSoak } from '@palanquin/chaos/soak/soak'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { homeAt, openHome } from '@palanquin/stack/run-state/home'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'

const FLAGS = {
  ...HOME_FLAG,
  seed: { type: 'string' },
  seeds: { type: 'string' },
  'at-once': { type: 'string' },
  copies: { type: 'string' },
  minutes: { type: 'string' },
  walkers: { type: 'string' },
  'dry-run': { type: 'boolean' },
  /**
   * For tests only: instead of faults, acknowledged writes are lost and doubled on purpose. The run must
   * fail.
   */
  control: { type: 'boolean' },
  /** For tests on machines that are slower. */
  patience: { type: 'string' },
  calm: { type: 'boolean' },
} as const
const SEED = { minimum: 0, maximum: 1_000_000, fallback: 1 }
/** Each participant has one request under way at most. */
const PARTICIPANTS = { minimum: 1, maximum: 200, fallback: 120 }
/** Each copy is one more process of every service; two are enough to show concurrency. */
const COPIES = { minimum: 1, maximum: 3 }
/** Stacks side by side; each needs about half a core. */
const AT_ONCE = { minimum: 1, maximum: 16, fallback: 1 }
const MINUTES = { minimum: 0.1, maximum: 24 * 60, fallback: 1 }
const MINUTE_MS = 60_000
/** Times the limits of recovery, answers and effects. */
const PATIENCE = { minimum: 1, maximum: 100, fallback: 1 }

/**
 * `chaos`: a stack of its own under load with faults from a seed, then the check of every invariant. Exit 0
 * when all hold; the home is then removed, otherwise it is kept for its logs.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('chaos', args, { flags: FLAGS })
  const seed = wholeNumber('chaos', 'seed', values.seed, SEED)
  const participants = wholeNumber('chaos', 'walkers', values.walkers, PARTICIPANTS)
  const patience = wholeNumber('chaos', 'patience', values.patience, PATIENCE)
  const lastsMs = minutesOf(values.minutes) * MINUTE_MS
  if (values.calm) return soak(values.home, lastsMs)
  if (values.seeds !== undefined) return several(values.seeds, values)
  // Odd seeds test one process per service, even ones several copies.
  const copies = wholeNumber('chaos', 'copies', values.copies, {
    ...COPIES,
    fallback: seed % 2 === 0 ? 2 : 1,
  })
  const faults = values.control ? [] : planFaults({ seed, lastsMs, copies })
  console.log(
    `Seed ${seed}: ${faults.length} faults in ${lastsMs / MINUTE_MS} min, with ${copies} of each service, under the load of ${participants} pilgrims and single check-ins.`,
  )
  if (values['dry-run']) {
    for (const fault of faults)
      console.log(`${(fault.atMs / 1000).toFixed(1).padStart(6)} s  ${describeFault(fault)}`)
    return 0
  }
  const folder =
    values.home === undefined ? mkdtempSync(join(tmpdir(), 'palanquin-chaos-')) : homeFolder(values.home)
  const home = homeAt(folder)
  openHome(home)
  const findings = await runChaos(
    home,
    { seed, lastsMs, participants, copies, faults, patience },
    { log: (line) => console.log(line), ...(values.control ? { negativeControl } : {}) },
  )
  console.log(`\n${reportOf(findings)}\n`)
  writeFileSync(figuresFile(folder), JSON.stringify(figuresOf(findings, copies)))
  const well = invariantHolds(findings)
  if (well && values.home === undefined) rmSync(folder, { recursive: true, force: true })
  console.log(
    well ? `Seed ${seed}: every invariant held.` : `Seed ${seed}: BROKEN. Logs and data are in ${folder}.`,
  )
  return well ? 0 : 1
}

type Values = Partial<Record<'home' | 'at-once' | 'walkers' | 'minutes' | 'copies', string>>

/** `chaos --seeds 1-10`: one run for each seed, in a home of its own. */
async function several(range: string, values: Values): Promise<number> {
  const seeds = seedsOf(range)
  const atOnce = wholeNumber('chaos', 'at-once', values['at-once'], AT_ONCE)
  const folder =
    values.home === undefined ? mkdtempSync(join(tmpdir(), 'palanquin-chaos-')) : homeFolder(values.home)
  const args = (['walkers', 'minutes', 'copies'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  )
  const broken = await runSeeds({ seeds, atOnce, args, folder, log: (line) => console.log(line) })
  const where = `The output of each run is in ${folder}`
  console.log(
    broken.length === 0
      ? `\nEvery invariant held for all ${seeds.length} seeds. ${where}.`
      : `\nBROKEN: ${broken.join(', ')}. ${where}, with the homes of the failed ones.`,
  )
  return broken.length === 0 ? 0 : 1
}

function seedsOf(range: string): number[] {
  const [, first, last] = /^(\d{1,6})-(\d{1,6})$/.exec(range) ?? []
  const count = Number(last) - Number(first) + 1
  if (count > 0) return Array.from({ length: count }, (_, at) => Number(first) + at)
  throw usageError('chaos', `--seeds takes the first and the last one, such as 1-10, not '${range}'.`)
}

/** `chaos --calm`: a soak test: no faults, half load, and a check of what grows. */
async function soak(given: string | undefined, lastsMs: number): Promise<number> {
  if (process.platform !== 'linux')
    throw new LauncherError('--calm reads /proc to see what processes hold: it runs on Linux.')
  const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'palanquin-calm-')) : homeFolder(given)
  const home = homeAt(folder)
  openHome(home)
  const { report, isFlat, isLongEnough } = await runSoak(home, { lastsMs, log: (line) => console.log(line) })
  console.log(`\n${report}\n`)
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
  if (!isLongEnough) console.log('Too short to say what grows: use --minutes 30.')
  else console.log(isFlat ? 'Nothing grows.' : 'Something grows: see the table.')
  return isFlat ? 0 : 1
}

function minutesOf(text: string | undefined): number {
  if (text === undefined) return MINUTES.fallback
  const value = Number(text)
  if (value >= MINUTES.minimum && value <= MINUTES.maximum) return value
  throw usageError(
    'chaos',
    `--minutes takes a number from ${MINUTES.minimum} to ${MINUTES.maximum}, not '${text}'.`,
  )
}
