import { fill, type Language, type Texts } from './texts.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Below this an age is "just now": the map itself lags by some seconds. */
const JUST_NOW_MS = 15 * SECOND_MS

/** An age in words, such as `3 分鐘前`; an instant in the future is "just now". */
export function ageInWords(texts: Texts, ageMs: number): string {
  if (ageMs < JUST_NOW_MS) return texts.justNow
  if (ageMs < MINUTE_MS) return fill(texts.secondsAgo, { n: Math.floor(ageMs / SECOND_MS) })
  if (ageMs < HOUR_MS) return fill(texts.minutesAgo, { n: Math.floor(ageMs / MINUTE_MS) })
  if (ageMs < DAY_MS) return fill(texts.hoursAgo, { n: Math.floor(ageMs / HOUR_MS) })
  return fill(texts.daysAgo, { n: Math.floor(ageMs / DAY_MS) })
}

/** A time of day, with its date unless it is today, in the event's time zone. */
export function timeInWords(
  atMs: number,
  { language, timezone, nowMs }: { language: Language; timezone: string; nowMs: number },
): string {
  const day = (ms: number) => new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(ms)
  const date: Intl.DateTimeFormatOptions =
    day(atMs) === day(nowMs) ? {} : { month: 'numeric', day: 'numeric' }
  return new Intl.DateTimeFormat(language, {
    ...date,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  }).format(atMs)
}

/** A date with its time, in the event's time zone. */
export const dateInWords = (atMs: number, { language, timezone }: { language: Language; timezone: string }) =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: timezone,
  }).format(atMs)

/** On foot in a procession, with rests (km/h): slower than a walker alone. */
const WALKING_KMH = 4

/** A distance to the palanquin, in metres below one kilometre. */
export function distanceInWords(
  km: number,
  texts: Pick<Texts, 'kmAway' | 'metresAway'>,
  language: Language,
): string {
  const metres = Math.max(10, Math.round(km * 100) * 10)
  if (metres < 1_000) return fill(texts.metresAway, { m: metres })
  const digits = km < 10 ? 1 : 0
  return fill(texts.kmAway, {
    km: new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(km),
  })
}

/** How long a distance takes on foot, in words. */
export function walkingTimeInWords(km: number, texts: Texts): string {
  const minutes = Math.max(1, Math.round((km / WALKING_KMH) * 60))
  const [h, m] = [Math.floor(minutes / 60), minutes % 60]
  return h === 0 ? fill(texts.minutesOnly, { m }) : fill(texts.hoursMinutes, { h, m })
}

export const countInWords = (count: number, language: Language): string =>
  new Intl.NumberFormat(language).format(count)
