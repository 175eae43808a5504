import { fill } from '@palanquin/domain/fill-text'
import type { OwnSession } from '@palanquin/domain/session'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { useOwnResource } from '../../api/resource.ts'
import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useNow } from '../../parts/clock.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { Confirm } from './confirm.tsx'

const EVERY_MS = 60_000
type Props = { session: OwnSession; timezone: string; changed: () => void }

/** Where I am signed in; every session but that of this phone can be ended here. */
export function Sessions({ timezone }: { timezone: string }) {
  const { me } = useMeTexts()
  const { data, retry } = useOwnResource<{ items: OwnSession[] }>('/sessions', EVERY_MS)
  if (data === null) return null
  return (
    <>
      <h3>{me.sessionsTitle}</h3>
      <ul class="session-list">
        {data.items.map((session) => (
          <Session key={session.id} session={session} timezone={timezone} changed={retry} />
        ))}
      </ul>
    </>
  )
}

function Session({ session: { id, device, current, lastSeenAt }, timezone, changed }: Props) {
  const { language, me } = useMeTexts()
  const nowMs = useNow()
  const name = device ?? me.sessionUnnamed
  const time = timeInWords(Date.parse(lastSeenAt), { language, timezone, nowMs })
  const { outcome, sending, submit } = useSending(async () => {
    const ended = await send(`/sessions/${id}`, undefined, 'DELETE')
    if (ended.ok) changed()
    return ended
  })
  return (
    <li>
      <p class="list-title">{name}</p>
      <p class="small">{current ? me.sessionHere : fill(me.sessionLast, { time })}</p>
      {!current && (
        <Confirm
          label={fill(me.sessionEnd, { name })}
          questions={[{ ask: me.sessionEndSure, yes: me.signOutYes }]}
          disabled={sending}
          onConfirmed={() => void submit()}
        />
      )}
      <NotSent outcome={outcome} />
    </li>
  )
}
