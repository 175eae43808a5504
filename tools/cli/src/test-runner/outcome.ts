/** Details of a report: how long each file took, and which tests failed or were skipped. */
export type Details = {
  files: { file: string; seconds: number }[]
  failedTests: { title: string; reason: string }[]
  skippedTests: string[]
}

/**
 * The result of a check. `output` is shown in full when something failed; a check that is not a test has no
 * details.
 */
export type Outcome = {
  passed: number
  failed: number
  skipped: number
  output: string
  details?: Details
}

export type Check = { name: string; run: (signal: AbortSignal) => Promise<Outcome> }

export type Totals = Pick<Outcome, 'passed' | 'failed' | 'skipped'>

export const sum = (outcomes: readonly Totals[]): Totals =>
  outcomes.reduce<Totals>(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )

/** `12 passed, 0 failed`, and nothing else: the last line, which programs read. */
export const countLine = ({ passed, failed }: Totals): string => `${passed} passed, ${failed} failed`

/** The same with skipped tests, for people. */
export const inWords = (totals: Totals): string =>
  `${countLine(totals)}${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`
