import { useEffect, useState } from 'preact/hooks'
import { counted } from '../../i18n/counted.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { countWaiting } from '../../outbox/outbox.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { type Person, signOut } from '../../session/session.ts'
import { Confirm } from './confirm.tsx'
import type { Left } from './left.tsx'

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
  leave: (how: Left) => void
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
      if (sent.ok) leave(everywhere ? 'signed-out-everywhere' : 'signed-out')
      return sent
    })
  const [here, all] = [ending(false), ending(true)]
  const question = (sure: string) => [
    { ask: waiting > 0 ? counted(waiting, me.signOutLoses) : sure, yes: me.signOutYes },
  ]
  const disabled = here.sending || all.sending
  return (
    <>
      <h3>{me.signOutHere}</h3>
      <p class="small">{person.kind === 'line' ? me.signOutHintLine : me.signOutHint}</p>
      <Confirm
        label={me.signOutHere}
        questions={question(me.signOutSure)}
        disabled={disabled}
        onConfirmed={() => void here.submit()}
      />
      <p class="small">{me.signOutAllHint}</p>
      <Confirm
        label={me.signOutAll}
        questions={question(me.signOutAllSure)}
        disabled={disabled}
        onConfirmed={() => void all.submit()}
      />
      <NotSent outcome={here.outcome ?? all.outcome} />
    </>
  )
}
