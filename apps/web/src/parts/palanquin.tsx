import { beaconSentence, palanquinOf, whereInWords } from '@palanquin/domain/beacon-sentence'
import type { Language } from '@palanquin/domain/language'
import { ageInWords } from '@palanquin/domain/time-in-words'
import type { Resource } from '../api/resource.ts'
import type { Activity, Beacon, Beacons } from '../api/types.ts'
import type { Texts } from '../i18n/zh-tw.ts'
import { TIMEZONE_DEFAULT } from './banners.tsx'
import { useNow } from './clock.ts'
import { useTexts } from './context.ts'

/** Where the palanquin is, what it does, and how old that is. */
export function PalanquinSentence({
  beacons,
  activity,
}: {
  beacons: Resource<Beacons>
  activity: Resource<Activity>
}) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  const timezone = activity.data?.timezone ?? TIMEZONE_DEFAULT
  const palanquin = palanquinOf(beacons.data)
  if (beacons.data === null)
    return (
      <p class="where where-loading" aria-busy="true">
        {beacons.trouble === null ? texts.whereLoading : texts.whereUnavailable}
      </p>
    )
  if (palanquin === null)
    return (
      <div class="where">
        <p class="where-place">{texts.whereUnknown}</p>
        <p class="where-motion">{texts.whereUnknownHint}</p>
      </div>
    )
  // After the end the last place stays; it neither moves nor is too old.
  const isOver = activity.data?.status === 'ended'
  const { where, motion, age, isStale } = beaconSentence(palanquin, { language, timezone, nowMs })
  return (
    <div class="where">
      <p class="where-place">{where}</p>
      {!isOver && <p class="where-motion">{motion}</p>}
      <p class={isStale && !isOver ? 'where-age stale' : 'where-age'}>
        {isOver ? ageInWords(texts, nowMs - Date.parse(palanquin.recordedAt)) : age}
      </p>
    </div>
  )
}

/** Announces to a screen reader where the palanquin is, at most once a minute. */
export const politely = (texts: Texts, language: Language, palanquin: Beacon | null): string =>
  palanquin === null ? texts.whereUnknown : whereInWords(palanquin, language)
