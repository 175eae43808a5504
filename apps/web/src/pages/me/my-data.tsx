import type { OwnProfile } from '@palanquin/domain/participant'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import type { Person } from '../../session/session.ts'
import { Download } from './download.tsx'
import { Leaving } from './leaving.tsx'
import type { Left } from './left.tsx'
import { JoinToLine } from './line-sign-in.tsx'
import { OnTheMap } from './on-the-map.tsx'
import { Phone } from './phone.tsx'
import { Sessions } from './sessions.tsx'
import { SignOut } from './sign-out.tsx'

/** What is kept of me, who sees it, and every way out. */
export function MyData({
  person,
  profile,
  consentVersion,
  timezone,
  outbox,
  stop,
  changed,
  leave,
}: {
  person: Person
  profile: OwnProfile
  consentVersion: string
  timezone: string
  outbox: OutboxHook
  /** Ends a recording, and sends what waits. */
  stop: () => Promise<void>
  /** Called after the profile was changed. */
  changed: () => void
  leave: (how: Left) => void
}) {
  const { me } = useMeTexts()
  return (
    <section class="my-data">
      <h2>{me.dataTitle}</h2>
      <OnTheMap profile={profile} consentVersion={consentVersion} changed={changed} />
      <Phone profile={profile} changed={changed} />
      <JoinToLine person={person} stop={stop} />
      <Download />
      <Leaving profile={profile} person={person} changed={changed} stop={stop} leave={leave} />
      <Sessions timezone={timezone} />
      <SignOut person={person} outbox={outbox} stop={stop} leave={leave} />
    </section>
  )
}
