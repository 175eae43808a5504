const ANSWER_DECIMALS = 1000

/** A number as answers show it: 3 decimals, never -0 (contract section 1: rounded in answers only, never in storage). */
export function round3(value: number): number {
  return Math.round(value * ANSWER_DECIMALS) / ANSWER_DECIMALS + 0
}
