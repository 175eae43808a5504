import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Guess } from '../rate-limit/rules.ts'
import { Turns } from '../turns.ts'

/** Codes and attempts are looked up in the store, a few of an address at a time. */
const AT_ONCE = { atOnceMax: 4, waitingMax: 1_000 }

const busy = new ApiError('unavailable', 'Many people sign in here right now. Please try again shortly.')

export type ProofLimits = Pick<RateLimit, 'wrong' | 'signIn'>

/** What a proof costs the address that sends it: a turn where the store is asked, a place where it fails. */
export function proofs(limits: ProofLimits) {
  const turns = new Turns(AT_ONCE)
  return {
    /** The answer of the store; 503 where too many of the address wait for theirs. */
    inTurn: async <T>(client: string, ask: () => Promise<T>): Promise<T | ApiError> => {
      const asked = await turns.take(countedAs(client), async () => ({ answer: await ask() }))
      return asked ? asked.answer : busy
    },
    /** A failed proof: 429 in its place once the address has no such place left. `kind`: where it is not counted yet. */
    failed: async (apiError: ApiError, client: string, kind?: Guess): Promise<ApiError> => {
      if (apiError.code !== 'unauthorized') return apiError
      const guess = kind === undefined ? undefined : await limits.wrong(kind, client)
      const place = await limits.signIn(client)
      return [guess, place].find((one) => one instanceof ApiError) ?? apiError
    },
  }
}
