/** What a report says beside its counts: how long each file took, and which tests were skipped. */
export type Details = { files: { file: string; seconds: number }[]; skippedTests: string[] }

/** What a check came to. `output` is shown in full when something failed; a check that is no test has no details. */
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

/** `12 passed, 0 failed`, and nothing else: it is the last line that programs read. */
export const countLine = ({ passed, failed }: Totals): string => `${passed} passed, ${failed} failed`

/** The same for people, with the skipped ones where there are any. */
export const inWords = (totals: Totals): string =>
  `${countLine(totals)}${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`
