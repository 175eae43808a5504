import { useEffect, useRef, useState } from 'preact/hooks'
import type { Trouble } from '../../api/resource.ts'
import type { Activity, Beacon } from '../../api/types.ts'
import { useTexts } from '../../parts/context.ts'
import { politely } from '../../parts/palanquin.tsx'

const EVERY_MS = 60_000

/** The live region of the map: at most once a minute, and at once when it is paused, ended or offline. */
export function Announcer({
  isKnown,
  palanquin,
  activity,
  trouble,
}: {
  isKnown: boolean
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
  // Nothing is said while nothing is known: a page that loads does not claim that there is no palanquin.
  const words = isKnown ? politely(texts, language, palanquin) : ''
  useEffect(() => {
    if (urgent !== '') setSaid(urgent)
  }, [urgent])
  useEffect(() => {
    if (urgent !== '' || words === '' || Date.now() - lastMs.current < EVERY_MS) return
    lastMs.current = Date.now()
    setSaid(words)
  }, [words, urgent])
  return (
    <p class="visually-hidden" aria-live="polite">
      {said}
    </p>
  )
}
