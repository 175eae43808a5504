import { fill } from '@palanquin/domain/fill-text'
import type { Language } from '@palanquin/domain/language'
import type { Texts } from './zh-tw.ts'

/** A date with its time, in the event's time zone. */
export const dateInWords = (atMs: number, { language, timezone }: { language: Language; timezone: string }) =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: timezone,
  }).format(atMs)

/** On foot in a procession, with rests (km/h): slower than a hiker alone. */
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
