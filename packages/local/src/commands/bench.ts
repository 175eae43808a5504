import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Benchmark, isReached, median, type Result, ratioOf, type Size } from '../../bench/benchmark.ts'
import { cards } from '../../bench/cards.ts'
import { checkin } from '../../bench/checkin.ts'
import { clusters } from '../../bench/clusters.ts'
import { data } from '../../bench/data.ts'
import { delta } from '../../bench/delta.ts'
import { distance } from '../../bench/distance.ts'
import { flush } from '../../bench/flush.ts'
import { growth } from '../../bench/growth.ts'
import { memory } from '../../bench/memory.ts'
import { overload } from '../../bench/overload/overload.ts'
import { peer } from '../../bench/peer.ts'
import { profile } from '../../bench/profile.ts'
import { start } from '../../bench/start.ts'
import { storage } from '../../bench/storage.ts'
import { sync } from '../../bench/sync.ts'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'
import { type Home, homeAt, openHome } from '../home.ts'
import { table } from '../table.ts'

const BENCHMARKS: readonly Benchmark[] = [
  ...[checkin, sync, flush, growth, data, delta, profile, clusters, distance, cards, memory, start, storage],
]

const ROWS_MAX = 100_000_000
const STATUSES = { minimum: 200, maximum: 299, fallback: 200 }
const FLAGS = {
  ...HOME_FLAG,
  quick: { type: 'boolean' },
  rows: { type: 'string' },
  url: { type: 'string' },
  status: { type: 'string' },
} as const

/** `bench [name]`: each against its yardstick, interleaved, as ratios; a table here and JSON in the home. */
export async function run(args: string[]): Promise<number> {
  if (args[0] === 'pilgrimage') return (await import('./pilgrimage.ts')).run(args)
  if (args.length === 1 && args[0] === 'overload') return (await overload(console.log)) ? 0 : 1
  const { values, positionals } = readArguments('bench', args, { flags: FLAGS, positionalsMax: 1 })
  const [name] = positionals
  const chosen = chosenBy(name, values)
  const { rows } = values
  const bounds = { minimum: 1, maximum: ROWS_MAX, fallback: ROWS_MAX }
  const size: Size = {
    quick: values.quick ?? false,
    ...(rows === undefined ? {} : { rows: wholeNumber('bench', 'rows', rows, bounds) }),
  }
  const home = homeAt(homeFolder(values.home))
  openHome(home)
  const results: Result[] = []
  for (const benchmark of chosen) {
    console.log(`${benchmark.name}: ${benchmark.question}`)
    results.push(...(await measure(benchmark, size)))
  }
  console.log(`\n${tableOf(results)}\n`)
  for (const { name, notes } of results) console.log(`${name}: ${notes.join('; ')}`)
  console.log(`\nAs JSON: ${keep(home, results)}`)
  return 0
}

/** What is to be measured: all, one by its name, or a peer, which needs somebody's address. */
function chosenBy(
  name: string | undefined,
  { url, status }: { url?: string | undefined; status?: string | undefined },
): readonly Benchmark[] {
  if (name === 'peer') {
    if (url === undefined || !URL.canParse(url))
      throw usageError('bench', 'bench peer takes --url URL: an endpoint that takes OwnTracks JSON.')
    return [peer(url, wholeNumber('bench', 'status', status, STATUSES))]
  }
  const chosen = BENCHMARKS.filter((benchmark) => name === undefined || benchmark.name === name)
  if (chosen.length > 0) return chosen
  const names = [...BENCHMARKS.map(({ name }) => name), 'overload', 'peer'].join(', ')
  throw usageError('bench', `There is no benchmark '${name}'; there are ${names}.`)
}

async function measure({ run, question: _, ...aim }: Benchmark, size: Size): Promise<Result[]> {
  const { also = [], ...measured } = await run((line) => console.log(`  ${line}`), size)
  const processors = cpus()
  const machine = `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, Bun ${Bun.version}`
  const at = new Date().toISOString()
  return [{ ...aim, ...measured }, ...also].map((row) => ({
    ...row,
    ...ratioOf(row),
    at,
    machine,
  }))
}

const tableOf = (results: readonly Result[]): string =>
  table(
    ['benchmark', 'ours', 'yardstick', 'ratio', 'rounds', 'wanted', ''],
    results.map((result) => [
      result.name,
      `${figure(median(result.ours))} ${result.unit}`,
      figure(median(result.yardstick)),
      result.ratio.toFixed(2),
      `${result.ratioLow.toFixed(2)} to ${result.ratioHigh.toFixed(2)}`,
      ...judgement(result),
    ]),
    ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
  )

function judgement(result: Result): [wanted: string, word: string] {
  const reached = isReached(result)
  if (reached === undefined) return ['', `${result.better} is better`]
  return [`${result.better === 'more' ? '≥' : '≤'} ${result.wanted}`, reached ? 'reached' : 'missed']
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)

function keep(home: Home, results: readonly Result[]): string {
  mkdirSync(home.benchmarks, { recursive: true })
  const file = join(home.benchmarks, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}
