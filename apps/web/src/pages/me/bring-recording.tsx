import { useEffect, useState } from 'preact/hooks'
import { useOwnResource } from '../../api/resource.ts'
import { type Sent, send } from '../../api/send.ts'
import type { ImportState } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { ImportReport } from './import-report.tsx'

/** A form of a little more is 413. */
const FILE_BYTES_MAX = 52_000_000
const EVERY_MS = 1_500
/** What phones offer to choose from; the service looks at the content alone. */
const ACCEPTED = '.gpx,.kml,.kmz,.tcx,.fit,.csv,.json,.geojson,.rec,application/gpx+xml,application/json'

/** Takes a file that another app recorded, and says what became of it. */
export function BringRecording({ timezone, imported }: { timezone: string; imported: () => void }) {
  const { me } = useMeTexts()
  const [file, setFile] = useState<File | null>(null)
  const [tooLarge, setTooLarge] = useState(false)
  const [importId, setImportId] = useState<string | null>(null)
  const [ended, setEnded] = useState<ImportState | null>(null)
  const { outcome, sending, submit, forget } = useSending<{ importId: string }>(async () => {
    const sent: Sent<{ importId: string }> = await send('/upload/import', formOf(file))
    if (sent.ok) setImportId(sent.data.importId)
    return sent
  })
  useEffect(() => {
    if (file !== null) void submit()
  }, [file])
  const { data } = useOwnResource<ImportState>(importId === null ? null : `/import/${importId}`, EVERY_MS)
  useEffect(() => {
    if (data?.importId !== importId || data === null) return
    if (data.status !== 'done' && data.status !== 'failed') return
    setEnded(data)
    setImportId(null)
    if (data.stored > 0) imported()
  }, [data, importId])
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return
    forget()
    setEnded(null)
    setTooLarge(chosen.size > FILE_BYTES_MAX)
    if (chosen.size <= FILE_BYTES_MAX) setFile(chosen)
  }
  const isBusy = sending || importId !== null
  return (
    <section class="bring-recording">
      <h2>{me.importTitle}</h2>
      <p>{me.importBody}</p>
      <label class="button photo">
        <Icon name="route" /> {isBusy ? me.importBusy : me.importChoose}
        <input
          type="file"
          class="visually-hidden"
          accept={ACCEPTED}
          disabled={isBusy}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? []
            currentTarget.value = ''
            choose(chosen)
          }}
        />
      </label>
      {tooLarge && <p role="alert">{me.importTooLarge}</p>}
      <NotSent outcome={outcome} />
      <div role="status">
        {sending && <p>{me.importSending}</p>}
        {importId !== null && <Reading state={data?.importId === importId ? data : null} />}
        {ended !== null && <ImportReport report={ended} timezone={timezone} />}
      </div>
    </section>
  )
}

function Reading({ state }: { state: ImportState | null }) {
  const { me } = useMeTexts()
  const handled = state === null ? 0 : state.stored + state.duplicates + state.tooOld + state.invalid
  return (
    <p>
      {me.importReading}{' '}
      {state !== null && state.points > 0 && (
        <progress aria-label={me.importReading} max={state.points} value={handled} />
      )}
    </p>
  )
}

function formOf(file: File | null): FormData {
  const form = new FormData()
  if (file !== null) form.set('file', file)
  return form
}
