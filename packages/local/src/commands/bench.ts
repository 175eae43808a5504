import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'
import { type Benchmark, median, type Result, ratioOf } from '../bench/benchmark.ts'
import { cards } from '../bench/cards.ts'
import { checkin } from '../bench/checkin.ts'
import { clusters } from '../bench/clusters.ts'
import { distance } from '../bench/distance.ts'
import { type Home, homeAt, openHome } from '../home.ts'
import { table } from '../table.ts'

const BENCHMARKS: readonly Benchmark[] = [distance, checkin, clusters, cards]

/** `bench [name]`: each against its yardstick, interleaved, as ratios; a table here and JSON in the home. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('bench', args, { flags: HOME_FLAG, positionalsMax: 1 })
  const [name] = positionals
  const chosen = BENCHMARKS.filter((benchmark) => name === undefined || benchmark.name === name)
  if (chosen.length === 0)
    throw usageError(
      'bench',
      `There is no benchmark '${name}'; there are ${BENCHMARKS.map(({ name }) => name).join(', ')}.`,
    )
  const home = homeAt(homeFolder(values.home))
  openHome(home)
  const results: Result[] = []
  for (const benchmark of chosen) {
    console.log(`${benchmark.name}: ${benchmark.question}`)
    results.push(await measure(benchmark))
  }
  console.log(`\n${tableOf(results)}\n`)
  for (const { name, notes } of results) console.log(`${name}: ${notes.join('; ')}`)
  console.log(`\nAs JSON: ${keep(home, results)}`)
  return 0
}

async function measure({ run, ...benchmark }: Benchmark): Promise<Result> {
  const measured = await run((line) => console.log(`  ${line}`))
  const processors = cpus()
  const machine = `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, Bun ${Bun.version}`
  return { ...benchmark, ...measured, ...ratioOf(measured), at: new Date().toISOString(), machine }
}

const tableOf = (results: readonly Result[]): string =>
  table(
    ['benchmark', 'ours', 'yardstick', 'ratio', 'rounds', ''],
    results.map((result) => [
      result.name,
      `${figure(median(result.ours))} ${result.unit}`,
      figure(median(result.yardstick)),
      result.ratio.toFixed(2),
      `${result.ratioLow.toFixed(2)} to ${result.ratioHigh.toFixed(2)}`,
      `${result.better} is better`,
    ]),
    ['left', 'right', 'right', 'right', 'right', 'left'],
  )

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)

function keep(home: Home, results: readonly Result[]): string {
  mkdirSync(home.benchmarks, { recursive: true })
  const file = join(home.benchmarks, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}
