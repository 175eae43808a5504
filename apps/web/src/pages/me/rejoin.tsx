import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'

/** Somebody who has withdrawn, and may come back. @param isNew whether that was a moment ago */
export function Rejoin({
  person: { userId },
  isNew,
  changed,
}: {
  person: Person
  isNew: boolean
  changed: () => void
}) {
  const { me } = useMeTexts()
  const sentence = useComesIntoView<HTMLParagraphElement>(isNew)
  const { outcome, sending, submit } = useSending(async () => {
    const sent = await send('/participant-status', { userId, status: 'active' })
    if (sent.ok) changed()
    return sent
  })
  return (
    <section class="banner banner-paused" role="status">
      <p ref={sentence} tabIndex={-1}>
        {me.withdrawn}
      </p>
      <button type="button" class="button" disabled={sending} onClick={() => void submit()}>
        {me.rejoin}
      </button>
      <NotSent outcome={outcome} />
    </section>
  )
}
