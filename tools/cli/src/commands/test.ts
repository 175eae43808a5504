import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { seconds } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { homeAt } from '@palanquin/stack/run-state/home'
import { makeStackTemplate } from '@palanquin/stack/testing/stack-template'
import { testPostgres } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { readArguments } from '../arguments.ts'
import { ensureChromium } from '../test-runner/chromium.ts'
import { deploymentOf } from '../test-runner/deployment.ts'
import { runQueue } from '../test-runner/machine-load.ts'
import { type Check, countLine, inWords, type Outcome, sum } from '../test-runner/outcome.ts'
import { packageFolders } from '../test-runner/plan.ts'
import { makeTestPrograms } from '../test-runner/programs.ts'
import { useScratch } from '../test-runner/scratch.ts'
import { STATIC_CHECKS } from '../test-runner/static.ts'
import { oldestPostgres, suites } from '../test-runner/suites.ts'

const NAME_WIDTH = 36
const FLAGS = { redis: { type: 'string' }, copies: { type: 'string' } } as const
const REPORTS = join(PROJECT_ROOT, '.palanquin', 'test-reports')

type Result = Outcome & { name: string }

/**
 * `test`: types, lint, boundaries, the tests of every package on one throwaway PostgreSQL, and e2e. Test
 * files run directly and not by turbo: no result may come from a cache, and a crashed runner must be seen.
 * `--redis cluster` and `--copies 2` run the same tests on another deployment, TEST_POSTGRES on another
 * PostgreSQL. The last line is the count; exit 0 only when nothing failed.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('test', args, { flags: FLAGS })
  const deployment = deploymentOf(values)
  const startedMs = performance.now()
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

  const results: Result[] = []
  const runAll = (checks: readonly Check[], amount: { atOnce: number; isElastic?: boolean }) =>
    runQueue(checks, {
      ...amount,
      signal: stopped.signal,
      work: async (check) => void results.push(await runOne(check, stopped.signal)),
    })

  const scratch = useScratch()
  const [homes, template, programs] = ['homes', 'template', 'programs'].map((name) =>
    mkdtempSync(join(scratch.folder, name)),
  ) as [string, string, string]
  const server = await testPostgres()
  try {
    // The first Redis of a fresh machine is fetched here, outside of any test's deadline.
    await (await testRedis()).close()
    await ensureChromium({ signal: stopped.signal, log: console.log })
    await makeStackTemplate(template)
    const env = {
      ...deployment.env,
      TEST_DATABASE_URL: server.url,
      TEST_JOURNEYS_DIR: homes,
      TEST_STACK_TEMPLATE: template,
      TEST_PROGRAMS: await makeTestPrograms(programs),
    }
    const { deadlineMs } = deployment
    const packages = packageFolders().map((folder) => suites(folder, { env, reports: REPORTS, deadlineMs }))
    // The longest first, so that no core is idle at the end. Files that mostly wait go one by one beside all others: a
    // place of their own costs the others little, and those that they would hold are not left to wait. Of the others more
    // than usual run while processors are idle.
    await Promise.all([
      runAll(
        packages.flatMap(({ alone }) => alone),
        { atOnce: 1 },
      ),
      runAll(
        [
          ...STATIC_CHECKS,
          ...packages.flatMap(({ concurrent }) => concurrent),
          oldestPostgres({ env, reports: REPORTS, deadlineMs }),
          ...packages.flatMap(({ e2e }) => e2e),
        ],
        { atOnce: deployment.checksAtOnce, isElastic: true },
      ),
    ])
  } finally {
    await Promise.all([server.close(), takeDownHomes(homes)])
    scratch.remove()
  }
  return report(results, { tookMs: performance.now() - startedMs, stopped: stopped.signal.aborted })
}

/** Stops what interrupted e2e tests left running. */
async function takeDownHomes(homes: string): Promise<void> {
  for (const name of readdirSync(homes)) await takeDown(homeAt(join(homes, name)))
}

async function runOne(check: Check, signal: AbortSignal): Promise<Result> {
  const startedMs = performance.now()
  const outcome = await check.run(signal)
  const mark = outcome.failed === 0 ? 'ok  ' : 'FAIL'
  const took = seconds(performance.now() - startedMs).padStart(8)
  console.log(`${mark}  ${check.name.padEnd(NAME_WIDTH)} ${took}   ${inWords(outcome)}`)
  for (const { title, reason } of outcome.details?.failedTests ?? [])
    console.log(`      failed: ${title}\n              ${reason}`)
  return { ...outcome, name: check.name }
}

function report(
  results: readonly Result[],
  { tookMs, stopped }: { tookMs: number; stopped: boolean },
): number {
  for (const { name, output } of results.filter(({ failed }) => failed > 0))
    console.log(`\n──── ${name} ────\n${output.trim()}`)
  console.log(`\n${slowestFiles(results)}`)
  console.log(skippedTests(results))
  console.log(failedTests(results))
  const total = sum(results)
  if (stopped) total.failed++
  console.log(
    `\n${stopped ? 'Stopped half-way' : `Everything took ${seconds(tookMs)}`}; ${total.skipped} skipped.`,
  )
  console.log(countLine(total))
  return total.failed === 0 ? 0 : 1
}

const SLOWEST = 10

/** The slowest test files. */
function slowestFiles(results: readonly Result[]): string {
  const files = results.flatMap(({ name, details }) => {
    const folder = name.split(' ')[0] ?? ''
    return (details?.files ?? []).map(({ file, seconds }) => ({ file: `${folder}/${file}`, seconds }))
  })
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  return [
    'The slowest files:',
    ...slowest.map(({ file, seconds }) => `  ${`${seconds.toFixed(1)} s`.padStart(9)}  ${file}`),
  ].join('\n')
}

/** The failed tests once more, since their output may be far above. */
function failedTests(results: readonly Result[]): string {
  const failed = results
    .filter(({ failed }) => failed > 0)
    .flatMap(({ name, details }) => {
      const tests = details?.failedTests ?? []
      return tests.length === 0
        ? [`  ${name}`]
        : tests.map(({ title, reason }) => `  ${name}: ${title}\n    ${reason}`)
    })
  return failed.length === 0 ? 'Nothing failed.' : ['Failed:', ...failed].join('\n')
}

/** Each skipped test gives its reason in its title. */
function skippedTests(results: readonly Result[]): string {
  const skipped = results.flatMap(({ name, details }) =>
    (details?.skippedTests ?? []).map((title) => `  ${name}: ${title}`),
  )
  return skipped.length === 0 ? 'No test was skipped.' : ['Skipped:', ...skipped].join('\n')
}
