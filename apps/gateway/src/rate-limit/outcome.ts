/** What became of a call behind a limit that counts what was taken: `unknown` when its service did not say. */
export type CallOutcome = 'taken' | 'refused' | 'unknown'

/** 502 and 504: the service may have carried it out. */
const MAYBE_DONE = [500, 502, 504]

export const outcomeOf = (status: number): CallOutcome => {
  if (status < 300) return 'taken'
  return MAYBE_DONE.includes(status) ? 'unknown' : 'refused'
}
