import { Cron } from 'croner'
import Type from 'typebox'
import { text } from './config.ts'

/** A variable that says when a job is due: cron, a seconds field before the minutes allowed. */
export const cronPattern = (description: string, fallback: string) =>
  Type.Refine(text(description, fallback), isCronPattern, () => 'must be a cron pattern such as */5 * * * *')

/** Read by what the jobs themselves are timed with, so that both understand the same. */
function isCronPattern(pattern: string): boolean {
  try {
    return new Cron(pattern, { paused: true }).nextRun() !== null
  } catch {
    return false // croner throws for a pattern that it cannot read
  }
}

/** When a pattern is due for the nth time after an instant; epoch milliseconds. */
export const dueAfter = (pattern: string, { afterMs, times }: { afterMs: number; times: number }): number =>
  new Cron(pattern, { paused: true }).nextRuns(times, new Date(afterMs)).at(-1)?.getTime() ??
  Number.POSITIVE_INFINITY
