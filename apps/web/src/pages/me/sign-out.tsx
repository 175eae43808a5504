import { useEffect, useState } from 'preact/hooks'
import { counted } from '../../i18n/counted.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { countWaiting } from '../../outbox/count-waiting.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { type Person, signOut } from '../../session/session.ts'
import { Confirm } from './confirm.tsx'

/** Signing out here or everywhere. It empties this phone, so what waits is sent before, or asked about. */
export function SignOut({
  person,
  outbox,
  stop,
  leave,
}: {
  person: Person
  outbox: OutboxHook
  stop: () => Promise<void>
  leave: (how: 'signed-out') => void
}) {
  const { me } = useMeTexts()
  const [waiting, setWaiting] = useState(0)
  useEffect(() => {
    void countWaiting(person.userId).then(setWaiting)
  }, [person.userId, outbox.state.waiting, outbox.checkins])
  const ending = (everywhere: boolean) =>
    useSending(async () => {
      await stop()
      const sent = await signOut(person, { everywhere })
      if (sent.ok) leave('signed-out')
      return sent
    })
  const [here, all] = [ending(false), ending(true)]
  const questions = [
    { ask: waiting > 0 ? counted(waiting, me.signOutLoses) : me.signOutSure, yes: me.signOutYes },
  ]
  const disabled = here.sending || all.sending
  return (
    <>
      <h3>{me.signOutHere}</h3>
      <p class="small">{person.kind === 'line' ? me.signOutHintLine : me.signOutHint}</p>
      <Confirm label={me.signOutHere} {...{ questions, disabled }} onConfirmed={() => void here.submit()} />
      <Confirm label={me.signOutAll} {...{ questions, disabled }} onConfirmed={() => void all.submit()} />
      <NotSent outcome={here.outcome ?? all.outcome} />
    </>
  )
}
