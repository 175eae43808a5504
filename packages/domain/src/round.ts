const ANSWER_DECIMALS = 1000

/** A number as responses show it: 3 decimals, never -0 (contract section 1). */
export function round3(value: number): number {
  return Math.round(value * ANSWER_DECIMALS) / ANSWER_DECIMALS + 0
}

/** Larger than the floating-point error of a sum of kilometres: 15 - 12.2 is 2.8000000000000007. */
const INEXACTNESS = 1e-6

/** What is missing, rounded up to 3 decimals: 0 only where nothing is. */
export function ceil3(missing: number): number {
  if (missing <= 0) return 0
  return Math.max(1, Math.ceil(missing * ANSWER_DECIMALS - INEXACTNESS)) / ANSWER_DECIMALS
}
