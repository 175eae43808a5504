import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'
import { loadFile, saveFile } from './save-file.ts'

/** Everything that is kept of me, and my track for other programs. */
export function Download({ person: { userId } }: { person: Person }) {
  const { me } = useMeTexts()
  return (
    <>
      <h3>{me.download}</h3>
      <div class="steps">
        <File path={`/user/${userId}/export`} name="my-data.json" label={me.downloadJson} />
        <File path={`/user/${userId}/track?format=gpx`} name="my-track.gpx" label={me.downloadGpx} />
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
