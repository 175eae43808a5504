import type { Log } from '@palanquin/service/log'
import { type AlertState, decide, type Problem } from './decide.ts'
import type { AlertLedger } from './ledger.ts'
import type { AlertNotifier } from './notify.ts'

/** A flap of a second wakes nobody: what is new is looked at again after this, before it is told. */
const CONFIRM_MS = 2_000
/** What the copy that took the step has not brought to everybody by then, another brings. */
const OWED_MS = 45_000
/** LINE knows a retry key for a day; older news is none. */
const OWED_MS_MAX = 20 * 3_600_000

export type WatchOptions = {
  /** Null: not clear yet. */
  health: () => Promise<Problem[] | null>
  ledger: AlertLedger
  tell: AlertNotifier
  now: () => number
  log: Log
  /** Called with every step that this copy took. */
  onPublished?: (told: AlertState) => void
  confirmMs?: number
}

/** One look at the house, and what follows from it: the owners are told, or not. For a schedule; never overlaps itself. */
export function createWatch(options: WatchOptions): () => Promise<void> {
  const { health, ledger, tell, now, log, onPublished = () => {}, confirmMs = CONFIRM_MS } = options

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

  const deliver = async (told: AlertState): Promise<void> => {
    const { owed } = told
    if (!owed) return
    const { alert } = owed
    const [line, webhook] = await Promise.all([
      owed.line ? tell.byLine(alert) : true,
      owed.webhook ? tell.byWebhook(alert) : true,
    ])
    const left = line && webhook ? null : { alert, line: !line, webhook: !webhook }
    await ledger.advance({ ...told, rev: told.rev + 1, owed: left })
  }

  return async () => {
    const told = await ledger.read()
    const problems = await look(told)
    const next = problems && decide(told, problems, now())
    if (next) {
      if (!(await ledger.advance(next))) return // another copy tells it
      const alert = next.owed?.alert
      if (alert?.kind === 'trouble') log.error({ problems }, 'something is wrong; the owners are told')
      else log.info('all is well again; the owners are told')
      onPublished(next)
      return deliver(next)
    }
    const ageMs = told.owed ? now() - told.owed.alert.atMs : 0
    if (ageMs > OWED_MS && ageMs < OWED_MS_MAX) await deliver(told)
  }
}
