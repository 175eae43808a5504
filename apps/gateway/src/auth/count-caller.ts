import { ApiError } from '@palanquin/service/http/api-error'
import type { Counted } from '../rate-limit/claims.ts'
import type { Limited, RateLimit } from '../rate-limit/rate-limit.ts'
import type { Route } from '../route.ts'
import type { Recognise, Recognised } from './recognise.ts'

type Call = { route: Route; headers: Headers; counted: Counted }

/**
 * The limits of a caller, who is counted by what they have proven to be (`prover`). Whoever this process does not know yet is
 * looked up once their address has no place left, so that no call waits for that while there are some.
 */
export async function countCaller(
  { limits, recognise }: { limits: Pick<RateLimit, 'caller'>; recognise: Recognise },
  { route, headers, counted }: Call,
): Promise<{ limited: Limited; prover: string | undefined }> {
  const { client } = counted
  const count = async (of: Counted) => ({ limited: await limits.caller(route, of), prover: of.prover })
  if (counted.prover !== undefined) return count(counted)
  // A stream holds a place of its address for long.
  const caller =
    recognise.now(headers) ?? (route.stream ? await recognise.surely(headers, client) : undefined)
  if (caller) return count(asProven(counted, caller))
  const first = await count(counted)
  if (!(first.limited instanceof ApiError)) return first
  const late = await recognise.surely(headers, client)
  return late ? count(asProven(counted, late)) : first
}

/** A person who names themselves is counted apart from whoever else names them. */
const asProven = (counted: Counted, { userId, countedAs }: Recognised): Counted => ({
  ...counted,
  prover: countedAs,
  verifiedUserId: counted.verifiedUserId ?? (userId === counted.userId ? userId : undefined),
})
