import { useEffect, useRef, useState } from 'preact/hooks'
import type { Trouble } from '../../api/resource.ts'
import type { Activity, Beacon } from '../../api/types.ts'
import { useTexts } from '../../parts/context.ts'
import { politely } from '../../parts/palanquin.tsx'

const EVERY_MS = 60_000

/** The live region of the map: at most once a minute, and at once when paused, ended or offline. */
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
  const lastMs = useRef(Number.NEGATIVE_INFINITY)
  const wasUrgent = useRef(false)
  const urgent =
    trouble?.kind === 'offline'
      ? texts.offlineTitle
      : activity?.status === 'paused'
        ? texts.statusPaused
        : activity?.status === 'ended'
          ? texts.statusEnded
          : ''
  // A page that loads does not claim that there is no palanquin.
  const words = isKnown ? politely(texts, language, palanquin) : ''
  useEffect(() => {
    const isOver = wasUrgent.current && urgent === ''
    wasUrgent.current = urgent !== ''
    if (urgent !== '') return setSaid(urgent)
    const say = () => {
      lastMs.current = performance.now()
      setSaid(words)
    }
    // What was urgent is not said any longer than it is so.
    if (isOver) return say()
    if (words === '') return
    const timer = setTimeout(say, lastMs.current + EVERY_MS - performance.now())
    return () => clearTimeout(timer)
  }, [words, urgent])
  return (
    <p class="visually-hidden" aria-live="polite">
      {said}
    </p>
  )
}
