/** The outcome of a call of LINE's API; nothing of it is thrown. */
export type LineOutcome<T = null> =
  /** `repeated`: an earlier call with this retry key was accepted (409). */
  | { is: 'ok'; value: T; requestId: string | null; repeated: boolean }
  /** Too fast (429): the same call may be made again, after so long where LINE said it. */
  | { is: 'rate'; retryAfterMs: number | null }
  /** The month's messages are used up (429): to try again is of no use. */
  | { is: 'quota' }
  /** LINE never takes it. `sentence` may quote what was sent: not for a log. */
  | { is: 'invalid'; status: number; sentence: string }
  /** The user blocked the bot, never added it, or has left LINE. */
  | { is: 'blocked' }
  /** The call may have been accepted all the same. */
  | { is: 'unavailable'; reason: string }

export type LineFailure = Exclude<LineOutcome, { is: 'ok' }>

/** LINE's words for the month's quota; the other 429 is about the rate. */
const MONTHLY = /monthly limit/i
/** The words of a push to a user who cannot be reached (reference, "Send push message"). */
const UNREACHABLE = /^failed to send messages/i
const REQUEST_ID = 'x-line-request-id'
const ACCEPTED_REQUEST_ID = 'x-line-accepted-request-id'

/** The success in an answer, or null when it is none; a repeat that was accepted before is one. */
export function successOf(answer: Response): { requestId: string | null; repeated: boolean } | null {
  if (answer.status >= 200 && answer.status < 300)
    return { requestId: answer.headers.get(REQUEST_ID), repeated: false }
  const accepted = answer.status === 409 ? answer.headers.get(ACCEPTED_REQUEST_ID) : null
  return accepted === null ? null : { requestId: accepted, repeated: true }
}

/** Which failure an answer is that is no success; `sentence` is the `message` of its body. */
export function failureOf({ status, headers }: Response, sentence: string): LineFailure {
  if (status === 429)
    return MONTHLY.test(sentence) ? { is: 'quota' } : { is: 'rate', retryAfterMs: retryAfterMs(headers) }
  // A token that was revoked is put right by an operator, not by giving up what was to be sent.
  if (status === 401 || status === 403)
    return { is: 'unavailable', reason: `LINE refuses the access token (${status})` }
  if (status === 400 && UNREACHABLE.test(sentence)) return { is: 'blocked' }
  if (status >= 400 && status < 500) return { is: 'invalid', status, sentence }
  return { is: 'unavailable', reason: `LINE answered ${status}` }
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null
}
