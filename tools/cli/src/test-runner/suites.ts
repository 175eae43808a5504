import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Ran, runCommand } from './command.ts'
import { readCounts, readDetails } from './junit.ts'
import type { Check, Outcome } from './outcome.ts'
import { planOf } from './plan.ts'

export type Options = {
  env: Record<string, string | undefined>
  reports: string
  deadlineMs?: number
  root?: string
}

/**
 * The tests of one package as checks: one per file that mostly waits, one per file of e2e, and the package's
 * `test` script for all others. Each file is in exactly one of them. The longest come first.
 */
export function suites(
  folder: string,
  options: Options,
): { alone: Check[]; concurrent: Check[]; e2e: Check[] } {
  const root = options.root ?? PROJECT_ROOT
  const { alone, concurrent, e2e } = planOf(folder, root)
  const others = alone.map((file) => `--path-ignore-patterns=${file}`)
  const cwd = join(root, folder)
  const ofFile = (file: string) =>
    testCheck(`${folder}/${file.slice(0, -'.test.ts'.length)}`, ['test', `./${file}`], { ...options, cwd })
  return {
    alone: alone.map(ofFile),
    concurrent:
      concurrent.length > 0 ? [testCheck(folder, ['run', 'test', ...others], { ...options, cwd })] : [],
    e2e: e2e.map(ofFile),
  }
}

/** What stores and migrates, on the oldest PostgreSQL that is supported: statements differ between versions. */
export const oldestPostgres = ({ env, ...options }: Options): Check =>
  testCheck('postgres-16', ['test', ...ON_OLDEST_POSTGRES], {
    ...options,
    env: { ...env, TEST_POSTGRES: '16', TEST_DATABASE_URL: undefined },
    cwd: PROJECT_ROOT,
  })
const ON_OLDEST_POSTGRES = [
  './packages/db/src/',
  './apps/tracking/src/crash.test.ts',
  './apps/tracking/src/flush/poison.test.ts',
  './apps/tracking/src/flush/statements.test.ts',
  './apps/tracking/src/rollup/',
]

/** Runs tests with Bun's JUnit report; `command` is what follows Bun. */
function testCheck(
  name: string,
  command: readonly string[],
  { reports, env, deadlineMs, cwd }: Omit<Options, 'root'> & { cwd: string },
): Check {
  return {
    name: name.replace('/src/', ' '),
    run: async (signal) => {
      const report = join(reports, `${name.replaceAll(/\W+/g, '-')}.xml`)
      mkdirSync(reports, { recursive: true })
      rmSync(report, { force: true })
      const flags = [`--timeout=${TEST_TIMEOUT_MS}`, '--reporter=junit', `--reporter-outfile=${report}`]
      const all = [process.execPath, ...command, ...flags]
      const ran = await runCommand(all, { cwd, env, deadlineMs, signal })
      return judge(readIfThere(report), ran)
    },
  }
}

/** The counts never understate failures: a runner that crashed or left no result is a failure. */
export function judge(report: string | undefined, { exitCode, output }: Ran): Outcome {
  const counts = report === undefined ? undefined : readCounts(report)
  const shown = withoutPasses(output)
  if (!counts)
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      output: `${shown}\nThe runner exited with ${exitCode} and left no report.`,
    }
  const details = readDetails(report ?? '')
  if (counts.passed + counts.failed + counts.skipped === 0)
    return { ...counts, failed: 1, output: `${shown}\nNo tests were run, but every package has some.` }
  if (exitCode !== 0 && counts.failed === 0)
    return {
      ...counts,
      failed: 1,
      output: `${shown}\nThe runner exited with ${exitCode}, although no test failed.`,
      details,
    }
  return { ...counts, output: shown, details }
}

const withoutPasses = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !/^\((pass|skip)\)/.test(line))
    .join('\n')
