import { inLanguage } from '@palanquin/domain/language'
import { together, useResource } from '../../api/resource.ts'
import type { Activity, Beacons } from '../../api/types.ts'
import { StatusBanner, TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'

const EVERY_MS = 10_000

export function HomePage() {
  const { language, texts } = useTexts()
  const activity = useResource<Activity>('/activity', EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', EVERY_MS)
  const name = activity.data?.name
  const door = (href: string, icon: IconName, title: string, hint: string) => (
    <a class="door" href={`${href}${href.includes('#') ? '' : `?lang=${language}`}`}>
      <Icon name={icon} />
      <span class="door-title">{title}</span>
      <span class="door-hint">{hint}</span>
    </a>
  )
  return (
    <Shell page="home">
      <section class="hero">
        <p class="hero-event">
          {name ? inLanguage(language, name) : texts.brandLine}
          {activity.data?.dates && <span class="hero-dates">{activity.data.dates}</span>}
        </p>
        <h1>{texts.whereTitle}</h1>
        <PalanquinSentence beacons={beacons} activity={activity} />
      </section>
      <StatusBanner activity={activity} />
      <TroubleBanner {...together(beacons, activity)} timezone={activity.data?.timezone} />
      <nav class="doors" aria-label={texts.menu}>
        {door('/map', 'map', texts.openMap, texts.openMapHint)}
        {door('/me', 'walk', texts.openMyWalk, texts.openMyWalkHint)}
        {door(`/map?lang=${language}#places`, 'rest', texts.openPlaces, texts.openPlacesHint)}
        {door('/survey', 'heart', texts.openSurvey, texts.openSurveyHint)}
        {door('/feedback', 'chat', texts.openFeedback, texts.openFeedbackHint)}
      </nav>
      <Foot />
    </Shell>
  )
}
