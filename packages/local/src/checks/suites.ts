import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import { PROJECT_ROOT } from '../project.ts'
import { runCommand } from './command.ts'
import { readCounts } from './junit.ts'
import type { Check, Outcome } from './outcome.ts'

/** Bun's own default of 5 s is short on a busy machine; bunfig.toml's is not read in a package's folder. */
const TEST_TIMEOUT_MS = 60_000

/**
 * The tests of one package as a check: its own `test` script (or another), counted from the runner's JUnit report.
 * A runner that crashed, or that left no result, counts as a failure.
 */
export const suite = (
  folder: string,
  options: { script?: string; env: Record<string, string>; reports: string },
): Check => {
  const script = options.script ?? 'test'
  const name = script === 'test' ? folder : `${folder} ${script}`
  return {
    name,
    run: async (signal) => {
      const report = join(options.reports, `${name.replaceAll(/\W+/g, '-')}.xml`)
      mkdirSync(options.reports, { recursive: true })
      rmSync(report, { force: true })
      const flags = [`--timeout=${TEST_TIMEOUT_MS}`, '--reporter=junit', `--reporter-outfile=${report}`]
      const ran = await runCommand([process.execPath, 'run', script, ...flags], {
        cwd: join(PROJECT_ROOT, folder),
        env: options.env,
        signal,
      })
      return judge(readIfThere(report), ran)
    },
  }
}

/** Counts that never say less than what happened. */
export function judge(
  report: string | undefined,
  { exitCode, output }: { exitCode: number; output: string },
): Outcome {
  const counts = report === undefined ? undefined : readCounts(report)
  const told = withoutPasses(output)
  if (!counts)
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      output: `${told}\nThe runner ended with ${exitCode} and left no report.`,
    }
  if (counts.passed + counts.failed + counts.skipped === 0)
    return { ...counts, failed: 1, output: `${told}\nThere was nothing to run, and every package has tests.` }
  if (exitCode !== 0 && counts.failed === 0)
    return {
      ...counts,
      failed: 1,
      output: `${told}\nThe runner ended with ${exitCode}, though no test failed.`,
    }
  return { ...counts, output: told }
}

const withoutPasses = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !/^\((pass|skip)\)/.test(line))
    .join('\n')
