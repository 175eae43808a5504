import { fill } from '@palanquin/domain/fill-text'
import type { Profile } from '@palanquin/domain/participant'
import { useMemo } from 'preact/hooks'
import type { Activity } from '../api/types.ts'
import { counted } from '../i18n/counted.ts'
import { useKeepsakeTexts } from '../i18n/keepsake/texts.ts'
import type { Interruption } from '../recording/interruption.ts'
import { Days } from './days.tsx'
import { KeepFile } from './keep-file.tsx'
import { Panel } from './panel.tsx'
import { storiesOf } from './story.ts'
import { useWalk } from './use-walk.ts'

/** After the end: the participant's way by day, with nights and photos, and the file that keeps it. */
export function Keepsake({
  profile,
  activity,
  interruptions,
  renew,
}: {
  profile: Profile
  activity: Activity
  interruptions: readonly Interruption[]
  /** Changes when the service may have more. */
  renew: unknown
}) {
  const { language, keepsake: texts } = useKeepsakeTexts()
  const { timezone } = activity
  const { walk, retry } = useWalk({
    userId: profile.userId,
    timezone,
    interruptions,
    renew,
    hasPhotos: activity.features.photos,
  })
  const stories = useMemo(
    () => (walk === null || walk === 'unavailable' ? [] : storiesOf(walk, { language, timezone, texts })),
    [walk, language, timezone],
  )
  if (walk === null)
    return (
      <p class="me-loading" aria-busy="true">
        {texts.loading}
      </p>
    )
  if (walk === 'unavailable')
    return (
      <section class="banner banner-trouble" role="status">
        <p>{texts.unavailable}</p>
        <button type="button" class="button" onClick={retry}>
          {texts.again}
        </button>
      </section>
    )
  const summary = fill(texts.summary, {
    days: counted(walk.days.length, texts.days),
    nights: counted(walk.nights.length, texts.nightCount),
    checkins: counted(profile.checkins, texts.checkins),
    photos: counted(walk.photos.length, texts.photos),
  })
  return (
    <section class="keepsake">
      <p>{summary}</p>
      {walk.days.length === 0 ? <p>{texts.noTrack}</p> : <Panel walk={walk} />}
      <Days stories={stories} timezone={timezone} />
      {walk.days.length > 0 && (
        <KeepFile walk={walk} stories={stories} summary={summary} profile={profile} activity={activity} />
      )}
    </section>
  )
}
