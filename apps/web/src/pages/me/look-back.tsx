import { fill } from '@palanquin/domain/fill-text'
import type { Profile } from '@palanquin/domain/participant'
import { useMeTexts } from '../../i18n/me/texts.ts'

/** At the end: how far this person has come. */
export function LookBackOnMine({ profile }: { profile: Profile }) {
  const { language, me } = useMeTexts()
  const km = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(profile.distanceKm)
  return (
    <section class="banner banner-done">
      <h2>{me.endedTitle}</h2>
      <p class="figure">{fill(me.kmToGo, { km })}</p>
    </section>
  )
}
