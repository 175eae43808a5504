import { fill } from '@palanquin/domain/fill-text'
import { timeInWords } from '@palanquin/domain/time-in-words'
import { useEffect, useRef, useState } from 'preact/hooks'
import { nowMs as serverNowMs } from '../../api/server-clock.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { RecordingHook } from '../../recording/use-recording.ts'

const TICK_MS = 1_000

/** A dark screen with a big clock: bright enough to be read, and dark enough to save the battery. */
export function Pocket({
  recording: { state },
  timezone,
  onClose,
}: {
  recording: RecordingHook
  timezone: string
  onClose: () => void
}) {
  const { language, me } = useMeTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const [nowMs, setNowMs] = useState(serverNowMs)
  useEffect(() => {
    dialog.current?.showModal()
    const timer = setInterval(() => setNowMs(serverNowMs()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const time = (ms: number) => timeInWords(ms, { language, timezone, nowMs })
  return (
    <dialog ref={dialog} class="pocket" aria-label={me.pocket} onClose={onClose}>
      <p class="pocket-clock">{time(nowMs)}</p>
      <p>{state.sinceMs === null ? me.recordOff : me.pocketRecording}</p>
      {state.lastPointMs !== null && <p>{fill(me.recordLast, { time: time(state.lastPointMs) })}</p>}
      <button type="button" class="button pocket-close" onClick={() => dialog.current?.close()}>
        {me.pocketClose}
      </button>
    </dialog>
  )
}
