import { fill } from '@palanquin/domain/fill-text'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { counted } from '../../i18n/counted.ts'
import { type MeTexts, useMeTexts } from '../../i18n/me/texts.ts'
import type { Waiting } from '../../outbox/delivery.ts'
import type { OutboxHook, OutboxState } from '../../outbox/use-outbox.ts'
import { useNow } from '../../parts/clock.ts'

/** What waits after the end, when nothing is recorded any more. */
export function StillWaiting({ outbox, timezone }: { outbox: OutboxHook; timezone: string }) {
  const { language } = useMeTexts()
  const nowMs = useNow()
  if (outbox.state.waiting === 0) return null
  return <OutboxStatus state={outbox.state} time={(ms) => timeInWords(ms, { language, timezone, nowMs })} />
}

/** How many points wait on this phone, why, and when some last arrived. */
export function OutboxStatus({ state, time }: { state: OutboxState; time: (ms: number) => string }) {
  const { me } = useMeTexts()
  const { waiting, refused, why, deliveredAtMs } = state
  if (waiting === 0 && refused === 0 && deliveredAtMs === null) return null
  return (
    <div class="outbox" role="status">
      <p class="list-title">{waiting > 0 ? counted(waiting, me.waiting) : me.allSent}</p>
      {waiting > 0 && why !== null && <p>{whyInWords(me, why)}</p>}
      {deliveredAtMs !== null && <p class="small">{fill(me.lastSent, { time: time(deliveredAtMs) })}</p>}
      {refused > 0 && <p class="small">{counted(refused, me.refusedPoints)}</p>}
    </div>
  )
}

/** Why something waits, and what becomes of it. */
export const whyInWords = (me: MeTexts, why: Waiting): string =>
  ({
    offline: me.whyOffline,
    busy: me.whyBusy,
    limited: me.whyLimited,
    forbidden: me.whyForbidden,
    'signed-out': me.whySignedOut,
  })[why]
