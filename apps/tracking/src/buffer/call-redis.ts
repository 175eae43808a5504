import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { ErrorReply } from 'redis'

/** Replies of a Redis that cannot serve any command now. */
const UNAVAILABLE_REPLY = /^(OOM|LOADING|MISCONF|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|BUSY) /
/** Long enough for a Redis that rewrites its file, and below the gateway's deadline. */
const REDIS_DEADLINE_MS = 4_000

/**
 * Awaits a call of Redis under a deadline.
 * @throws StoreUnavailable when Redis is away, late or full; the call may have taken effect then
 */
export async function callRedis<T>(call: PromiseLike<T>, deadlineMs = REDIS_DEADLINE_MS): Promise<T> {
  try {
    return await withDeadline(call, { what: 'Redis', deadlineMs })
  } catch (error) {
    throw isAway(error) ? new StoreUnavailable('buffer', error) : error
  }
}

/** Whether an error says that Redis is away, late or full, rather than that the command is wrong. */
function isAway(error: unknown): boolean {
  if (error instanceof ErrorReply) return UNAVAILABLE_REPLY.test(error.message)
  // The client has many errors for a lost connection; these three are bugs of this service.
  return !(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
}
