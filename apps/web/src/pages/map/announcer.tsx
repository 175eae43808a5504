import { useEffect, useRef, useState } from 'preact/hooks'
import type { Trouble } from '../../api/resource.ts'
import type { Activity, Beacon } from '../../api/types.ts'
import { useTexts } from '../../parts/context.ts'
import { politely } from '../../parts/palanquin.tsx'

const EVERY_MS = 60_000

/** The live region of the map: at most once a minute, and at once when it is paused, ended or offline. */
export function Announcer({
  palanquin,
  activity,
  trouble,
}: {
  palanquin: Beacon | null
  activity: Activity | null
  trouble: Trouble | null
}) {
  const { language, texts } = useTexts()
  const [said, setSaid] = useState('')
  const lastMs = useRef(0)
  const urgent =
    trouble?.kind === 'offline'
      ? texts.offlineTitle
      : activity?.status === 'paused'
        ? texts.statusPaused
        : activity?.status === 'ended'
          ? texts.statusEnded
          : ''
  const words = politely(texts, language, palanquin)
  useEffect(() => {
    if (urgent !== '') setSaid(urgent)
  }, [urgent])
  useEffect(() => {
    if (urgent !== '' || Date.now() - lastMs.current < EVERY_MS) return
    lastMs.current = Date.now()
    setSaid(words)
  }, [words, urgent])
  return (
    <p class="visually-hidden" aria-live="polite">
      {said}
    </p>
  )
}
