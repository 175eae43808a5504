import { fill } from '@palanquin/domain/fill-text'
import type { Place } from '@palanquin/domain/geo'
import type { Language } from '@palanquin/domain/language'
import type { FeatureCollection } from 'geojson'
import type { PlaceFeature } from '../api/types.ts'
import type { KeepsakeTexts } from '../i18n/keepsake/texts.ts'
import { type Day, datesIn, type Night } from './day.ts'
import { namesOf } from './names.ts'
import { type OwnPhoto, takenMs } from './read-walk.ts'

/** A day in words. */
export type DayStory = {
  index: number
  /** `第一天 · 4月12日 星期日` */
  title: string
  /** Kilometres, hours on the way, from when to when. */
  facts: string[]
  /** From where to where, by the organisers' places; null where none is near. */
  way: string | null
  /** Where the night after it was; null for the last day, and where the next one is missing. */
  night: string | null
  photos: OwnPhoto[]
}

const MINUTE_MS = 60_000

type Reader = { language: Language; timezone: string; texts: KeepsakeTexts }

/** Each day of a walk in words, with the photos that were taken on it. */
export function storiesOf(
  { days, nights, photos, places, outlines }: KeepsakeParts,
  { language, timezone, texts }: Reader,
): DayStory[] {
  const dateOf = datesIn(timezone)
  const time = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  })
  const nameAt = namesOf({ places, outlines, language })
  const nameOf = (place: Place | undefined) => (place === undefined ? null : nameAt(place))
  return days.map(({ date, points, km, onTheWayMs }, index) => {
    const [first, last] = [points[0], points.at(-1)]
    const night = nights.find((one) => one.date === date)
    const nightAt = night && nameOf(night.at)
    return {
      index,
      title: fill(texts.dayTitle, { n: index + 1, date: dateInWords(date, language) }),
      facts: [
        fill(texts.dayKm, { km: kmInWords(km, language) }),
        ...(onTheWayMs >= MINUTE_MS
          ? [fill(texts.dayHours, { time: durationInWords(onTheWayMs, texts) })]
          : []),
        ...(first && last
          ? [fill(texts.dayTimes, { from: time.format(first.recordedAt), to: time.format(last.recordedAt) })]
          : []),
      ],
      way: wayInWords({ from: nameOf(first), to: nameOf(last) }, texts),
      night:
        night === undefined
          ? null
          : fill(nightAt === null || nightAt === undefined ? texts.nightUnnamed : texts.nightAt, {
              time: time.format(night.sinceMs),
              place: nightAt ?? placeInDegrees(night.at),
            }),
      photos: photos.filter((photo) => dateOf(takenMs(photo)) === date),
    }
  })
}

function wayInWords(
  { from, to }: { from: string | null; to: string | null },
  texts: KeepsakeTexts,
): string | null {
  if (from === null) return to === null ? null : fill(texts.dayTo, { to })
  if (to === null) return fill(texts.dayFrom, { from })
  return from === to ? fill(texts.dayAt, { from }) : fill(texts.dayWay, { from, to })
}

export type KeepsakeParts = {
  days: readonly Day[]
  nights: readonly Night[]
  photos: readonly OwnPhoto[]
  places: readonly PlaceFeature[]
  outlines: FeatureCollection
}

const placeInDegrees = ({ lat, lng }: { lat: number; lng: number }): string =>
  `${lat.toFixed(3)}, ${lng.toFixed(3)}`

export const kmInWords = (km: number, language: Language): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(km)

/** The date is a day of a calendar, whatever the time zone of the reader. */
const dateInWords = (date: string, language: Language): string =>
  new Intl.DateTimeFormat(language, {
    month: 'long',
    day: 'numeric',
    weekday: 'short',
    timeZone: 'UTC',
  }).format(Date.parse(date))

function durationInWords(ms: number, texts: KeepsakeTexts): string {
  const minutes = Math.round(ms / MINUTE_MS)
  return fill(minutes < 60 ? texts.minutes : texts.hours, { h: Math.floor(minutes / 60), m: minutes % 60 })
}
