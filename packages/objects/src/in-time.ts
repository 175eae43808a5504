import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'

/** For a few megabytes; leaves time within the gateway's ten seconds for the work before and after. */
const CALL_DEADLINE_MS = 4_000
/** Below the half second of a health probe, so that no call outlives its probe. */
export const PING_DEADLINE_MS = 450
/** Far more than any image that is stored; a larger object is none of ours. */
export const GET_BYTES_MAX = 33_554_432

/** Runs a call under the deadline; a late one is aborted. @throws StoreUnavailable */
export async function inTime<T>(
  call: (signal: AbortSignal) => Promise<T>,
  deadlineMs = CALL_DEADLINE_MS,
): Promise<T> {
  const abort = new AbortController()
  try {
    return await withDeadline(call(abort.signal), { what: 'the object store', deadlineMs })
  } catch (error) {
    abort.abort()
    throw new StoreUnavailable('object store', error)
  }
}

/** @throws Error where the object is larger than its reader takes */
export function assertSize(bytes: number | undefined, bytesMax: number): void {
  if (bytes === undefined || bytes > bytesMax)
    throw new Error(`an object of ${bytes} bytes, where ${bytesMax} are the most`)
}
