import { type LimitHeaders, NO_LIMIT_HEADERS } from '../response.ts'
import type { Route } from '../route.ts'
import { type Counted, chargesOf, newcomerCharge, newcomerOf } from './claims.ts'
import { headersOf } from './limit-headers.ts'
import type { Charge, Limiter, Refusal, Taken, Verdict } from './limiter.ts'
import { type NewParticipants, outcomeOf, type Place } from './new-participants.ts'
import type { Rules } from './rules.ts'

/** A request that all its rules admit, with the headers of the tightest. */
export type Admitted = {
  headers: LimitHeaders
  /** Takes the status of its response, and whether the participant was new, where the service says. */
  settle?: ((status: number, isNew?: boolean) => void) | undefined
}
/** `giveBack` takes the places of a call back that was not made. */
export type AdmittedCall = Admitted & { giveBack: () => void }

export type Parts = {
  limiter: Pick<Limiter, 'take' | 'isSpent' | 'giveBack' | 'noteRefused'>
  newParticipants: NewParticipants
  rules: Rules
}
/** What a call has taken, and the place of its new participant. */
type CallCount = { taken: Taken; place: Place | undefined; refused: Refusal | undefined }

/** Counts a call by all rules of its route, or by none. `saysNew`: its service says who is new. */
export async function countCall(
  { limiter, newParticipants, rules }: Parts,
  route: Route,
  counted: Counted,
  options: { saysNew: boolean },
): Promise<CallCount> {
  const taking = limiter.take(chargesOf(route, counted, rules))
  const newcomer = newcomerOf(route, counted)
  if (newcomer === undefined || newParticipants.isSeen(newcomer)) {
    const taken = await taking
    return { taken, place: undefined, refused: taken.refused }
  }
  const placing = newParticipants.take(newcomer, newcomerCharge(counted, rules), options)
  const [taken, place] = await Promise.all([taking, placing])
  if (taken.refused) place?.settle('rejected')
  else if (place?.refused) limiter.giveBack(taken)
  return { taken, place, refused: taken.refused ?? place?.refused }
}

export function admittedCall(limiter: Parts['limiter'], { taken, place }: CallCount): AdmittedCall {
  const { charges, verdicts } = taken
  const isSettled = place !== undefined || charges.some(isOfBytes)
  const settle = (status: number, isNew?: boolean) => {
    const outcome = outcomeOf(status)
    if (outcome === 'rejected') limiter.giveBack(taken, isOfBytes)
    place?.settle(outcome, isNew)
  }
  const giveBack = () => {
    limiter.giveBack(taken)
    place?.settle('rejected')
  }
  const shown = verdicts.filter((_, at) => isShown(charges[at]))
  const headers = shown.length === 0 ? NO_LIMIT_HEADERS : headersOf(tightestOf(shown))
  return { headers, settle: isSettled ? settle : undefined, giveBack }
}

const isOfBytes = ({ rule }: Charge): boolean => rule.of === 'bytes'

/** Limits of bytes concern attackers alone, so responses do not mention them. */
const isShown = (charge: Charge | undefined): boolean =>
  charge !== undefined && charge.rule.of === undefined && !charge.rule.silent

const tightestOf = (verdicts: readonly Verdict[]): Verdict | undefined =>
  verdicts.reduce((tightest, verdict) => (verdict.remaining < tightest.remaining ? verdict : tightest))
