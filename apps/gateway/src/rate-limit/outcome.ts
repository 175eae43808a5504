/** What a service did with a call, for limits that count accepted ones: `unknown` when it did not respond. */
export type CallOutcome = 'accepted' | 'rejected' | 'unknown'

/** 502 and 504: the service may have carried it out. */
const MAYBE_DONE = [500, 502, 504]

export const outcomeOf = (status: number): CallOutcome => {
  if (status < 300) return 'accepted'
  return MAYBE_DONE.includes(status) ? 'unknown' : 'rejected'
}
