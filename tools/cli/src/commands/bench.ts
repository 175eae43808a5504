import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Benchmark, cpuRatioOf, type Result, ratioOf, type Size } from '@palanquin/bench/benchmark'
import { cards } from '@palanquin/bench/cards/cards'
import { checkin } from '@palanquin/bench/ingest/checkin'
import { connection } from '@palanquin/bench/ingest/connection'
import { flush } from '@palanquin/bench/ingest/flush'
import { peer } from '@palanquin/bench/ingest/peer'
import { sync } from '@palanquin/bench/ingest/sync'
import { loadProgram } from '@palanquin/bench/load/load'
import { overload } from '@palanquin/bench/overload/overload'
import { distance } from '@palanquin/bench/process/distance'
import { memory } from '@palanquin/bench/process/memory'
import { promises } from '@palanquin/bench/process/promises'
import { start } from '@palanquin/bench/process/start'
import { clusters } from '@palanquin/bench/reads/clusters'
import { data } from '@palanquin/bench/reads/data'
import { delta } from '@palanquin/bench/reads/delta'
import { profile } from '@palanquin/bench/reads/profile'
import { tableOf, withFigures } from '@palanquin/bench/report'
import { growth } from '@palanquin/bench/storage/growth'
import { storage } from '@palanquin/bench/storage/storage'
import { type Home, homeAt, openHome } from '@palanquin/stack/run-state/home'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'

const BENCHMARKS: readonly Benchmark[] = [
  ...[checkin, sync, flush, connection, profile, data, delta, memory],
  ...[clusters, distance, cards, start, promises, growth, storage],
]

const ROWS_MAX = 100_000_000
const REST_S_MAX = 3_600
const STATUSES = { minimum: 200, maximum: 299, fallback: 200 }
const FLAGS = {
  ...HOME_FLAG,
  quick: { type: 'boolean' },
  rows: { type: 'string' },
  rest: { type: 'string' },
  into: { type: 'string' },
  url: { type: 'string' },
  status: { type: 'string' },
} as const
type Flags = ReturnType<typeof readArguments<typeof FLAGS>>['values']

/**
 * `bench [name …]`: each benchmark interleaved with its yardstick, as ratios; a table here and JSON in the
 * home.
 */
export async function run(args: string[]): Promise<number> {
  if (args[0] === 'pilgrimage') return (await import('./pilgrimage.ts')).run(args)
  if (args.length === 1 && args[0] === 'overload') return (await overload(console.log)) ? 0 : 1
  const { values, positionals } = readArguments('bench', args, {
    flags: FLAGS,
    positionalsMax: BENCHMARKS.length,
  })
  const chosen = chosenBy(positionals, values)
  const size = sizeOf(values)
  if (values.into !== undefined) withFigures(readFileSync(values.into, 'utf8'), []) // checked before an hour of work
  const home = homeAt(homeFolder(values.home))
  openHome(home)
  const by = await loadProgram()
  console.log(sentenceOf(by))
  const results: Result[] = []
  const broken: string[] = []
  for (const benchmark of chosen) {
    console.log(`${benchmark.name}: ${benchmark.question}`)
    try {
      results.push(...(await measure(benchmark, size, by.name)))
    } catch (error) {
      // One failed benchmark does not discard the results of the others.
      console.error(`${benchmark.name} broke off:`, error)
      broken.push(benchmark.name)
    }
  }
  console.log(`\n${tableOf(results)}\n`)
  for (const { name, notes } of results) console.log(`${name}: ${notes.join('; ')}`)
  console.log(`\nAs JSON: ${keep(home, results)}`)
  if (values.into !== undefined && !size.quick)
    writeFileSync(values.into, withFigures(readFileSync(values.into, 'utf8'), results))
  if (broken.length > 0) console.error(`Broke off: ${broken.join(', ')}.`)
  return broken.length > 0 ? 1 : 0
}

const sentenceOf = ({ name, problem }: { name: string; problem?: string }): string =>
  problem === undefined
    ? `The load is made by ${name}.`
    : `The load is made by ${name}, since there is no wrk: ${problem}. It costs about what the servers cost, so ratios by throughput flatter; read those by processor time.`

function sizeOf({ quick = false, rows, rest }: Flags): Size {
  const bounds = { minimum: 1, maximum: ROWS_MAX, fallback: ROWS_MAX }
  const rests = { minimum: 0, maximum: REST_S_MAX, fallback: 0 }
  return {
    quick,
    ...(rows === undefined ? {} : { rows: wholeNumber('bench', 'rows', rows, bounds) }),
    ...(rest === undefined ? {} : { restS: wholeNumber('bench', 'rest', rest, rests) }),
  }
}

/** The benchmarks to run: all, some by name, or `peer`, which needs a URL. */
function chosenBy(names: readonly string[], { url, status }: Flags): readonly Benchmark[] {
  if (names[0] === 'peer' && names.length === 1) {
    if (url === undefined || !URL.canParse(url))
      throw usageError('bench', 'bench peer takes --url URL: an endpoint that takes OwnTracks JSON.')
    return [peer(url, wholeNumber('bench', 'status', status, STATUSES))]
  }
  const known = new Map(BENCHMARKS.map((benchmark) => [benchmark.name, benchmark]))
  const unknown = names.find((name) => !known.has(name))
  if (unknown === undefined)
    return names.length === 0 ? BENCHMARKS : names.flatMap((name) => known.get(name) ?? [])
  const there = [...known.keys(), 'overload', 'pilgrimage', 'peer'].join(', ')
  throw usageError('bench', `There is no benchmark '${unknown}'; there are ${there}.`)
}

async function measure({ run, question: _, ...aim }: Benchmark, size: Size, load: string): Promise<Result[]> {
  const { also = [], ...measured } = await run((line) => console.log(`  ${line}`), size)
  const processors = cpus()
  const machine = `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, Bun ${Bun.version}`
  const at = new Date().toISOString()
  return [{ ...aim, ...measured }, ...also].map((row) => {
    const cpuRatio = cpuRatioOf(row)
    return { ...row, ...ratioOf(row), ...(cpuRatio === undefined ? {} : { cpuRatio }), at, machine, load }
  })
}

function keep(home: Home, results: readonly Result[]): string {
  mkdirSync(home.benchmarks, { recursive: true })
  const file = join(home.benchmarks, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}
