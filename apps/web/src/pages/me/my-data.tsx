import type { OwnProfile } from '@palanquin/domain/participant'
import { OWN_PATH } from '../../api/base.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { OutboxHook } from '../../outbox/use-outbox.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { loadFile, saveFile } from '../../parts/save-file.ts'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'
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

/** Everything that is kept of me, and my track for other programs. */
function Download() {
  const { me } = useMeTexts()
  return (
    <>
      <h3>{me.download}</h3>
      <div class="steps">
        <File path={`${OWN_PATH}/export`} name="my-data.json" label={me.downloadJson} />
        <File path={`${OWN_PATH}/track?format=gpx`} name="my-track.gpx" label={me.downloadGpx} />
      </div>
    </>
  )
}

function File({ path, name, label }: { path: string; name: string; label: string }) {
  const { outcome, sending, submit } = useSending(async () => {
    const loaded = await loadFile(path)
    if (loaded.ok) saveFile(loaded.data, name)
    return loaded
  })
  return (
    <div class="file">
      <button type="button" class="button" disabled={sending} onClick={() => void submit()}>
        {label}
      </button>
      <NotSent outcome={outcome} />
    </div>
  )
}
