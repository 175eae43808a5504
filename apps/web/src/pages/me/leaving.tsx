import type { Profile } from '@palanquin/domain/participant'
import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { erasePerson, type Person } from '../../session/session.ts'
import { Confirm } from './confirm.tsx'

/** Withdrawing from the activity, and erasing everything. */
export function Leaving({
  profile,
  person,
  changed,
  stop,
  leave,
}: {
  profile: Profile
  person: Person
  changed: () => void
  stop: () => Promise<void>
  leave: (how: 'erased') => void
}) {
  const { me } = useMeTexts()
  const { userId } = person
  const withdrawing = useSending(async () => {
    const sent = await send('/participant-status', { userId, status: 'withdrawn' })
    if (sent.ok) changed()
    return sent
  })
  const erasing = useSending(async () => {
    // What came after it would make a new participant.
    await stop()
    const sent = await erasePerson(person)
    if (sent.ok) leave('erased')
    return sent
  })
  return (
    <>
      {profile.status === 'active' && (
        <>
          <Confirm
            label={me.withdraw}
            questions={[{ ask: me.withdrawSure, yes: me.withdraw }]}
            disabled={withdrawing.sending}
            onConfirmed={() => void withdrawing.submit()}
          />
          <p class="small">{me.withdrawHint}</p>
          <NotSent outcome={withdrawing.outcome} />
        </>
      )}
      <Confirm
        label={me.erase}
        questions={[
          { ask: me.eraseSure, yes: me.eraseYes },
          { ask: me.eraseSurest, yes: me.eraseYesFinal },
        ]}
        disabled={erasing.sending}
        onConfirmed={() => void erasing.submit()}
      />
      <p class="small">{me.eraseHint}</p>
      <p class="small">{me.eraseBackups}</p>
      <NotSent outcome={erasing.outcome} />
    </>
  )
}
