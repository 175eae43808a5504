/** Where the palanquin is, what it does and how old that is, for pages and chat. */

import type { Beacon } from './beacon'
import { fill } from './fill-text'
import { inLanguage, type Language, type Localized } from './language'
import { AGE_WORDS, ageInWords, timeInWords } from './time-in-words'

const WORDS = {
  'zh-TW': {
    whereUnavailable: '暫時查不到鑾轎的位置。',
    whereUnknown: '目前還沒有鑾轎的位置。',
    whereUnknownHint: '鑾轎一出發，這裡就會顯示。',
    whereAt: '鑾轎在{place}',
    whereAtUnknown: '鑾轎在海上或國外',
    whereMoving: '行進中',
    whereMovingSpeed: '行進中，時速 {speed} 公里',
    whereResting: '停駕，從 {time} 起',
    whereSilent: '訊號中斷，這是最後的位置',
    wherePlaceUnknown: '海上或國外',
    updated: '{age}更新',
    staleBody: '這是 {age}的資料，可能已經移動。',
  },
  en: {
    whereUnavailable: 'The position of the palanquin is not available right now.',
    whereUnknown: 'The palanquin has no position yet.',
    whereUnknownHint: 'It appears here as soon as the palanquin sets out.',
    whereAt: 'The palanquin is in {place}',
    whereAtUnknown: 'The palanquin is at sea or abroad',
    whereMoving: 'On the move',
    whereMovingSpeed: 'On the move at {speed} km/h',
    whereResting: 'Resting since {time}',
    whereSilent: 'Signal lost; this is the last position',
    wherePlaceUnknown: 'at sea or abroad',
    updated: 'Updated {age}',
    staleBody: 'This is from {age}; it may have moved on.',
  },
} as const satisfies Localized<Record<string, string>>

export type BeaconWords = Readonly<Record<keyof (typeof WORDS)['en'], string>>
export const BEACON_WORDS: Localized<BeaconWords> = WORDS

/** A position older than this is shown with a warning (web face, section 1: stale). */
const STALE_MS = 60_000
/** A beacon older than this is silent: its signal is lost (web face, section 5). */
export const SILENT_MS = 10 * 60_000

/** The palanquin among the beacons; without one the first of them. */
export const palanquinOf = <B extends Pick<Beacon, 'kind'>>(beacons: readonly B[] | null): B | null =>
  beacons?.find(({ kind }) => kind === 'palanquin') ?? beacons?.[0] ?? null

type Town = NonNullable<Beacon['place']>

/** A town with its county, as people of the language write it. */
export const townInWords = ({ town, county }: Town, language: Language): string =>
  inLanguage(language, { zh: `${county.zh}${town.zh}`, en: `${town.en}, ${county.en}` })

/** Where a beacon is, by county and town. */
export function placeInWords({ place }: Pick<Beacon, 'place'>, language: Language): string {
  if (place === null) return BEACON_WORDS[language].wherePlaceUnknown
  return townInWords(place, language)
}

type Reader = { language: Language; timezone: string; nowMs: number }
type Moving = Pick<Beacon, 'recordedAt' | 'state' | 'restingSince' | 'speedKmh'>

/** What a beacon does, in words. */
export function motionInWords(beacon: Moving, { language, timezone, nowMs }: Reader): string {
  const words = BEACON_WORDS[language]
  if (nowMs - Date.parse(beacon.recordedAt) > SILENT_MS || beacon.state === 'unknown')
    return words.whereSilent
  if (beacon.state === 'resting' && beacon.restingSince !== null)
    return fill(words.whereResting, {
      time: timeInWords(Date.parse(beacon.restingSince), { language, timezone, nowMs }),
    })
  return beacon.speedKmh !== null && beacon.speedKmh >= 1
    ? fill(words.whereMovingSpeed, { speed: Math.round(beacon.speedKmh) })
    : words.whereMoving
}

/** That the palanquin is at a place. */
export const whereInWords = (beacon: Pick<Beacon, 'place'>, language: Language): string =>
  beacon.place === null
    ? BEACON_WORDS[language].whereAtUnknown
    : fill(BEACON_WORDS[language].whereAt, { place: placeInWords(beacon, language) })

/** The sentence in its three parts. */
export function beaconSentence(
  beacon: Moving & Pick<Beacon, 'place'>,
  reader: Reader,
): { where: string; motion: string; age: string; isStale: boolean } {
  const { language, nowMs } = reader
  const ageMs = nowMs - Date.parse(beacon.recordedAt)
  const isStale = ageMs > STALE_MS
  const words = BEACON_WORDS[language]
  const age = ageInWords(AGE_WORDS[language], ageMs)
  return {
    where: whereInWords(beacon, language),
    motion: motionInWords(beacon, reader),
    age: fill(isStale ? words.staleBody : words.updated, { age }),
    isStale,
  }
}
