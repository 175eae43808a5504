import { OWN_PATH } from '../../api/own-path.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { loadFile, saveFile } from '../../parts/save-file.ts'
import { useSending } from '../../parts/sending.ts'

/** Everything that is kept of me, and my track for other programs. */
export function Download() {
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
