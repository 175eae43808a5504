import { timeInWords } from '@palanquin/domain/time-in-words'
import { type MeTexts, useMeTexts } from '../../i18n/me/texts.ts'
import type { StoredCheckin } from '../../outbox/checkin.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { useNow } from '../../parts/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import { whyInWords } from './outbox-status.tsx'

const SHOWN_MAX = 10

/** The latest check-ins of this phone, each with the time at which it was made. */
export function CheckinList({ outbox, timezone }: { outbox: OutboxHook; timezone: string }) {
  const { language, me } = useMeTexts()
  const nowMs = useNow()
  if (outbox.checkins.length === 0) return null
  return (
    <>
      <h2>{me.checkinsHere}</h2>
      <ul class="list" aria-live="polite">
        {outbox.checkins.slice(0, SHOWN_MAX).map((checkin) => (
          <li key={checkin.seq} class={`checkin checkin-${checkin.state}`}>
            <Icon
              name={
                checkin.state === 'received' ? 'check' : checkin.state === 'waiting' ? 'clock' : 'offline'
              }
            />
            <span class="list-title">
              {timeInWords(checkin.point.recordedAt, { language, timezone, nowMs })}
              {checkin.note !== undefined && ` · ${checkin.note}`}
              {checkin.hasPhoto && ` · ${me.withPhoto}`}
            </span>
            <span>{stateInWords(me, checkin)}</span>
          </li>
        ))}
      </ul>
      {outbox.checkinsWait !== null && <p role="status">{whyInWords(me, outbox.checkinsWait)}</p>}
    </>
  )
}

function stateInWords(me: MeTexts, { state, reason }: StoredCheckin): string {
  if (state === 'received') return me.checkinReceived
  if (state === 'waiting') return me.checkinSaved
  return reason === 'photo'
    ? me.photoInvalid
    : reason === 'photo-too-large'
      ? me.photoTooLarge
      : me.checkinRefused
}
