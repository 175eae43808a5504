import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'

/** Somebody who has withdrawn, and may come back. */
export function Rejoin({ person: { userId }, changed }: { person: Person; changed: () => void }) {
  const { me } = useMeTexts()
  const { outcome, sending, submit } = useSending(async () => {
    const sent = await send('/participant-status', { userId, status: 'active' })
    if (sent.ok) changed()
    return sent
  })
  return (
    <section class="banner banner-paused" role="status">
      <p>{me.withdrawn}</p>
      <button type="button" class="button" disabled={sending} onClick={() => void submit()}>
        {me.rejoin}
      </button>
      <NotSent outcome={outcome} />
    </section>
  )
}
