import type { CallOutcome } from './outcome.ts'
import type { Rule } from './rules.ts'

/** What is counted: a rule by its name, and the id whose calls it counts. */
export type Subject = { name: string; rule: Rule; id: string }

/** What a rule says of a call, as in the RateLimit headers. */
export type Verdict = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the oldest counted call leaves the window and one more is allowed. */
  readonly resetS: number
  /** Uncounts the call, for when something after this rule refuses it. */
  readonly giveBack: () => Promise<void>
  /**
   * Of a rule that counts accepted calls only: called once the outcome is known. `isNew`: whether the service did not know the
   * participant.
   */
  readonly settle?: (outcome: CallOutcome, isNew?: boolean) => void
  /** Redis did not answer: it is what this process alone knows. */
  readonly isOwn?: true
}

/** `kept`: the call may be passed on at once, but is to be answered only when this has resolved. It never rejects. */
export type VerdictNow = Verdict & { readonly kept: Promise<void> | undefined }

const nothing = async () => {}

/** What a window's figures mean for one call of the rule. */
export const verdictOf = (
  { limit }: Rule,
  { allowed, used, freeInMs }: { allowed: boolean; used: number; freeInMs: number },
  giveBack = nothing,
  kept: Promise<void> | undefined = undefined,
): VerdictNow => ({
  allowed,
  limit,
  remaining: allowed ? Math.max(0, limit - used) : 0,
  resetS: Math.max(1, Math.ceil(freeInMs / 1_000)),
  giveBack,
  kept,
})
