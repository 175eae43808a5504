/** Ages and times of day in words, in the language of the reader. */

import { fill } from './fill-text'
import type { Language, Localized } from './language'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Below this an age is "just now": the map itself lags by some seconds. */
const JUST_NOW_MS = 15 * SECOND_MS

type AgeWords = { justNow: string; secondsAgo: string; minutesAgo: string; hoursAgo: string; daysAgo: string }
export const AGE_WORDS: Localized<AgeWords> = {
  'zh-TW': {
    justNow: '剛剛',
    secondsAgo: '{n} 秒前',
    minutesAgo: '{n} 分鐘前',
    hoursAgo: '{n} 小時前',
    daysAgo: '{n} 天前',
  },
  en: {
    justNow: 'just now',
    secondsAgo: '{n} s ago',
    minutesAgo: '{n} min ago',
    hoursAgo: '{n} h ago',
    daysAgo: '{n} d ago',
  },
}

/** An age in words, such as `3 分鐘前`; an instant in the future is "just now". */
export function ageInWords(words: AgeWords, ageMs: number): string {
  if (ageMs < JUST_NOW_MS) return words.justNow
  if (ageMs < MINUTE_MS) return fill(words.secondsAgo, { n: Math.floor(ageMs / SECOND_MS) })
  if (ageMs < HOUR_MS) return fill(words.minutesAgo, { n: Math.floor(ageMs / MINUTE_MS) })
  if (ageMs < DAY_MS) return fill(words.hoursAgo, { n: Math.floor(ageMs / HOUR_MS) })
  return fill(words.daysAgo, { n: Math.floor(ageMs / DAY_MS) })
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
