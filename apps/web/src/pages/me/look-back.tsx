import { fill } from '@palanquin/domain/fill-text'
import type { Profile } from '@palanquin/domain/participant'
import { useEffect, useState } from 'preact/hooks'
import type { Activity } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { Keepsake } from '../../keepsake/keepsake.tsx'
import type { Interruption } from '../../recording/interruption.ts'

const AGAIN_MS = 5_000

/** At the end: how far this person has come, and then the whole way, whose chunk comes now alone. */
export function LookBackOnMine(shown: {
  profile: Profile
  activity: Activity
  interruptions: readonly Interruption[]
  renew: unknown
}) {
  const { language, me } = useMeTexts()
  const [chunk, setChunk] = useState<{ Keepsake: typeof Keepsake } | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = () => {
      import('../../keepsake/keepsake.tsx').then(setChunk).catch((error: unknown) => {
        console.warn('A part of this page cannot be loaded', error)
        timer = setTimeout(load, AGAIN_MS)
      })
    }
    load()
    return () => clearTimeout(timer)
  }, [])
  const km = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(shown.profile.distanceKm)
  return (
    <section class="look-back">
      <div class="banner banner-done">
        <h2>{me.endedTitle}</h2>
        <p class="figure">{fill(me.kmToGo, { km })}</p>
      </div>
      {chunk !== null && <chunk.Keepsake {...shown} />}
    </section>
  )
}
