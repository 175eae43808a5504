import type { Resource } from '../api/resource.ts'
import type { Activity, Beacon, Beacons } from '../api/types.ts'
import { ageInWords, timeInWords } from '../i18n/format.ts'
import { fill, type Language, type Texts } from '../i18n/texts.ts'
import { TIMEZONE_DEFAULT } from './banners.tsx'
import { useNow } from './clock.ts'
import { useTexts } from './context.ts'

/** A position older than this is amber, with its age (web face, section 1: stale). */
const STALE_MS = 60_000
/** A beacon older than this is silent: its signal is lost (web face, section 5). */
export const SILENT_MS = 10 * 60_000

export const palanquinOf = (beacons: Beacons | null): Beacon | null =>
  beacons?.find(({ kind }) => kind === 'palanquin') ?? beacons?.[0] ?? null

const nameOf = (name: { zh: string; en: string }, language: Language) =>
  language === 'en' ? name.en : name.zh

/** Where a beacon is, by county and town. */
export function placeInWords({ place }: Pick<Beacon, 'place'>, language: Language, texts: Texts): string {
  if (place === null) return texts.wherePlaceUnknown
  const [county, town] = [nameOf(place.county, language), nameOf(place.town, language)]
  return language === 'en' ? `${town}, ${county}` : `${county}${town}`
}

/** What a beacon does, in words. */
export function motionInWords(
  beacon: Beacon,
  { language, texts, timezone, nowMs }: { language: Language; texts: Texts; timezone: string; nowMs: number },
): string {
  if (nowMs - Date.parse(beacon.recordedAt) > SILENT_MS) return texts.whereSilent
  if (beacon.state === 'resting' && beacon.restingSince !== null)
    return fill(texts.whereResting, {
      time: timeInWords(Date.parse(beacon.restingSince), { language, timezone, nowMs }),
    })
  if (beacon.state === 'unknown') return texts.whereSilent
  return beacon.speedKmh !== null && beacon.speedKmh >= 1
    ? fill(texts.whereMovingSpeed, { speed: Math.round(beacon.speedKmh) })
    : texts.whereMoving
}

/** The one sentence that everybody comes for: where the palanquin is, what it does, and how old that is. */
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
  const ageMs = nowMs - Date.parse(palanquin.recordedAt)
  const age = ageInWords(texts, ageMs)
  return (
    <div class="where">
      <p class="where-place">{fill(texts.whereAt, { place: placeInWords(palanquin, language, texts) })}</p>
      <p class="where-motion">{motionInWords(palanquin, { language, texts, timezone, nowMs })}</p>
      <p class={ageMs > STALE_MS ? 'where-age stale' : 'where-age'}>
        {ageMs > STALE_MS ? fill(texts.staleBody, { age }) : fill(texts.updated, { age })}
      </p>
    </div>
  )
}

/** Tells a screen reader where the palanquin is, at most once a minute. */
export function politely(texts: Texts, language: Language, palanquin: Beacon | null): string {
  return palanquin === null
    ? texts.whereUnknown
    : fill(texts.whereAt, { place: placeInWords(palanquin, language, texts) })
}
