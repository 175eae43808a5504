import { fill } from '@palanquin/domain/fill-text'
import type { Profile } from '@palanquin/domain/participant'
import type { Activity } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useChunk } from '../../parts/chunk.ts'
import type { Interruption } from '../../recording/interruption.ts'

/** At the end: how far this person has come, and then the whole way, whose chunk comes now alone. */
export function LookBackOnMine(shown: {
  profile: Profile
  activity: Activity
  interruptions: readonly Interruption[]
  renew: unknown
}) {
  const { language, me } = useMeTexts()
  const chunk = useChunk(() => import('../../keepsake/keepsake.tsx'), true)
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
