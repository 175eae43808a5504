import type { Log } from '@palanquin/service/log'
import { type AlertState, decide, type Problem } from './decide.ts'
import type { AlertLedger } from './ledger.ts'
import type { AlertNotifier } from './notify.ts'

/** A flap of a second raises no alert: what is new is checked again after this. */
const CONFIRM_MS = 2_000
/** An alert that the copy which raised it has not delivered by then is delivered by another. */
const OWED_MS = 45_000
/** LINE knows a retry key for a day; an older alert is not sent. */
const OWED_MS_MAX = 20 * 3_600_000

export type WatchOptions = {
  /** Null: not clear yet. */
  health: () => Promise<Problem[] | null>
  ledger: AlertLedger
  notify: AlertNotifier
  now: () => number
  log: Log
  /** Called with every step that this copy took. */
  onPublished?: (state: AlertState) => void
  confirmMs?: number
}

/** One health check, after which the owners are alerted or not; it never overlaps itself. */
export function createWatch(options: WatchOptions): () => Promise<void> {
  const { health, ledger, notify, now, log, onPublished = () => {}, confirmMs = CONFIRM_MS } = options

  /** The problems that are really there; undefined when that is not clear yet. */
  const look = async ({ incident }: AlertState): Promise<Problem[] | undefined> => {
    const first = await health()
    if (!first) return undefined
    const isKnown = incident
      ? first.length > 0 && first.every((problem) => incident.seen.includes(problem))
      : first.length === 0
    if (isKnown) return first
    await Bun.sleep(confirmMs)
    const second = await health()
    if (!second) return undefined
    if (first.length === 0) return second.length === 0 ? [] : undefined
    const both = first.filter((problem) => second.includes(problem))
    return both.length > 0 ? both : undefined
  }

  const deliver = async (state: AlertState): Promise<void> => {
    const { owed } = state
    if (!owed) return
    const { alert } = owed
    const [line, webhook] = await Promise.all([
      owed.line ? notify.byLine(alert) : true,
      owed.webhook ? notify.byWebhook(alert) : true,
    ])
    const left = line && webhook ? null : { alert, line: !line, webhook: !webhook }
    await ledger.advance({ ...state, rev: state.rev + 1, owed: left })
  }

  return async () => {
    const state = await ledger.read()
    const problems = await look(state)
    const next = problems && decide(state, problems, now())
    if (next) {
      if (!(await ledger.advance(next))) return // another copy alerts
      const alert = next.owed?.alert
      if (alert?.kind === 'trouble')
        log.error({ event: 'alert.raised', problems }, 'The deployment has problems; alerting the owners')
      else log.info({ event: 'alert.resolved' }, 'The deployment is healthy again; notifying the owners')
      onPublished(next)
      return deliver(next)
    }
    const ageMs = state.owed ? now() - state.owed.alert.atMs : 0
    if (ageMs > OWED_MS && ageMs < OWED_MS_MAX) await deliver(state)
  }
}
