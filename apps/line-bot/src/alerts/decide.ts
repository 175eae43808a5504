import { Nullable } from '@palanquin/domain/optional'
import Type, { type Static } from 'typebox'

/** What owners are woken for (contract section 6): a store in error, or a flush that is overdue. */
export const PROBLEMS = ['d1', 'kv', 'r2', 'flush'] as const
export const Problem = Type.Enum([...PROBLEMS])
export type Problem = Static<typeof Problem>

/** One message to the owners. */
export const Alert = Type.Object({
  kind: Type.Enum(['trouble', 'well']),
  problems: Type.Array(Problem),
  /** When the incident began, and when the alert was raised; epoch milliseconds. */
  sinceMs: Type.Integer(),
  atMs: Type.Integer(),
})
export type Alert = Static<typeof Alert>

/** `rev` grows with every change, so that the latest of several copies is known. */
export const AlertState = Type.Object({
  rev: Type.Integer(),
  incident: Nullable(
    Type.Object({
      sinceMs: Type.Integer(),
      /** Every problem of this incident, also those that went away meanwhile. */
      seen: Type.Array(Problem),
      times: Type.Integer(),
      lastMs: Type.Integer(),
    }),
  ),
  /** What has not reached everybody yet, and whom not. */
  owed: Nullable(Type.Object({ alert: Alert, line: Type.Boolean(), webhook: Type.Boolean() })),
})
export type AlertState = Static<typeof AlertState>

export const NO_ALERTS: AlertState = { rev: 0, incident: null, owed: null }

const MINUTE_MS = 60_000
/** Contract section 6: at once, then after 10 and 30 minutes, 1 h, then every 2 h. */
const WAITS_MS = [10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS]
const LAST_WAIT_MS = 120 * MINUTE_MS

/** The next state, and the alert to send: a problem that is new to an incident is alerted at once. */
export function decide(state: AlertState, problems: readonly Problem[], nowMs: number): AlertState | null {
  const { incident } = state
  const alerting = (kind: Alert['kind'], sinceMs: number, next: AlertState['incident']): AlertState => ({
    rev: state.rev + 1,
    incident: next,
    owed: { alert: { kind, problems: [...problems], sinceMs, atMs: nowMs }, line: true, webhook: true },
  })
  if (problems.length === 0) return incident && alerting('well', incident.sinceMs, null)
  if (!incident)
    return alerting('trouble', nowMs, { sinceMs: nowMs, seen: [...problems], times: 1, lastMs: nowMs })
  const isNew = problems.some((problem) => !incident.seen.includes(problem))
  const waitMs = WAITS_MS[incident.times - 1] ?? LAST_WAIT_MS
  if (!isNew && nowMs < incident.lastMs + waitMs) return null
  const seen = [...new Set([...incident.seen, ...problems])]
  const times = incident.times + (isNew ? 0 : 1)
  return alerting('trouble', incident.sinceMs, { sinceMs: incident.sinceMs, seen, times, lastMs: nowMs })
}
