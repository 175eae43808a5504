import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Ran, runCommand } from './command.ts'
import { readCounts, readDetails } from './junit.ts'
import type { Check, Outcome } from './outcome.ts'
import { planOf } from './plan.ts'

export type Options = { env: Record<string, string>; reports: string; deadlineMs?: number; root?: string }

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
  const ofFile = (file: string) =>
    check(`${folder}/${file.slice(0, -'.test.ts'.length)}`, ['test'], [`./${file}`])
  const check = (name: string, command: string[], args: string[]): Check => ({
    name: name.replace('/src/', ' '),
    run: async (signal) => {
      const report = join(options.reports, `${name.replaceAll(/\W+/g, '-')}.xml`)
      mkdirSync(options.reports, { recursive: true })
      rmSync(report, { force: true })
      const flags = [`--timeout=${TEST_TIMEOUT_MS}`, '--reporter=junit', `--reporter-outfile=${report}`]
      const ran = await runCommand([process.execPath, ...command, ...flags, ...args], {
        cwd: join(root, folder),
        env: options.env,
        deadlineMs: options.deadlineMs,
        signal,
      })
      return judge(readIfThere(report), ran)
    },
  })
  return {
    alone: alone.map(ofFile),
    concurrent: concurrent.length > 0 ? [check(folder, ['run', 'test'], others)] : [],
    e2e: e2e.map(ofFile),
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
