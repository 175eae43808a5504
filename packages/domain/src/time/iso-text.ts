/** Reads ISO 8601 date and time with an offset. */

const MINUTE_MS = 60_000

/** Date.UTC takes years below 100 for those of 1900; the calendar repeats after 400 years. */
const CYCLE_YEARS = 400
const CYCLE_MS = 146_097 * 86_400_000

/** A zero stands for any digit. */
const UTC_FORM = '0000-00-00T00:00:00.000Z'
const ZERO = 48
const NINE = 57
const MINUS = 45
const DOT = 46
const COLON = 58
const UPPER_T = 84
const UPPER_Z = 90
const YEAR_MAX = 9_999
/** Times a hundred it is more than any year. */
const NO_DIGITS = 100_000

// Everything up to the minutes has a fixed position.
const ISO_FORM =
  /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/

/** Reads the form of `toISOString`, in half the time of `readIso`; null for any other. */
export function readUtc(text: string): number | null {
  if (text.length !== UTC_FORM.length) return null
  for (let i = 0; i < UTC_FORM.length; i++) {
    const code = text.charCodeAt(i)
    const wanted = UTC_FORM.charCodeAt(i)
    if (wanted === ZERO ? code < ZERO || code > NINE : code !== wanted) return null
  }
  return instantOf({
    year: twoDigits(text, 0) * 100 + twoDigits(text, 2),
    month: twoDigits(text, 5),
    day: twoDigits(text, 8),
    hour: twoDigits(text, 11),
    minute: twoDigits(text, 14),
    second: twoDigits(text, 17),
    millisecond: (text.charCodeAt(20) - ZERO) * 100 + twoDigits(text, 21),
  })
}

/** The UTC day that was read last: points of a track are of one day or two. */
const latestDay = { date: -1, startMs: 0 }

/** Reads 24 bytes from a place on; NaN for another form. The day is worked out once a track. */
export function utcAt(bytes: Uint8Array, at: number): number {
  const isOfForm =
    bytes[at + 4] === MINUS &&
    bytes[at + 7] === MINUS &&
    bytes[at + 10] === UPPER_T &&
    bytes[at + 13] === COLON &&
    bytes[at + 16] === COLON &&
    bytes[at + 19] === DOT &&
    bytes[at + 23] === UPPER_Z
  if (!isOfForm) return Number.NaN
  const year = twoDigitsAt(bytes, at) * 100 + twoDigitsAt(bytes, at + 2)
  const month = twoDigitsAt(bytes, at + 5)
  const day = twoDigitsAt(bytes, at + 8)
  const hour = twoDigitsAt(bytes, at + 11)
  const minute = twoDigitsAt(bytes, at + 14)
  const second = twoDigitsAt(bytes, at + 17)
  const hundredths = twoDigitsAt(bytes, at + 20)
  const thousandths = (bytes[at + 22] ?? 0) - ZERO
  // What is no digit made a number of three digits.
  if (year > YEAR_MAX || hour > 23 || minute > 59 || second > 59 || hundredths > 99) return Number.NaN
  if (thousandths < 0 || thousandths > 9) return Number.NaN
  const date = (year * 100 + month) * 100 + day
  if (date !== latestDay.date) {
    const startMs = instantOf({ year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 })
    if (startMs === null) return Number.NaN
    latestDay.startMs = startMs
    latestDay.date = date
  }
  const secondOfDay = (hour * 60 + minute) * 60 + second
  return latestDay.startMs + secondOfDay * 1_000 + hundredths * 10 + thousandths
}

export function readIso(value: string): number | null {
  const part = ISO_FORM.exec(value)
  if (part === null) return null
  const [, seconds, fraction, sign, offsetHours, offsetMinutes] = part
  const offset = sign === undefined ? 0 : offsetOf(sign, Number(offsetHours), Number(offsetMinutes ?? 0))
  const local = instantOf({
    year: twoDigits(value, 0) * 100 + twoDigits(value, 2),
    month: twoDigits(value, 5),
    day: twoDigits(value, 8),
    hour: twoDigits(value, 11),
    minute: twoDigits(value, 14),
    second: seconds === undefined ? 0 : Number(seconds),
    millisecond: fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0')),
  })
  return local === null || offset === null ? null : local - offset * MINUTE_MS
}

type Clock = {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
}

/** Epoch milliseconds of a UTC date and time; null for one that does not exist. */
function instantOf({ year, month, day, hour, minute, second, millisecond }: Clock): number | null {
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return null
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE_MS + millisecond
}

function twoDigits(text: string, from: number): number {
  return (text.charCodeAt(from) - ZERO) * 10 + text.charCodeAt(from + 1) - ZERO
}

/** More than 99 where one of them is no digit. */
function twoDigitsAt(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - ZERO
  const ones = (bytes[at + 1] ?? 0) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NO_DIGITS
}

/** Minutes east of UTC, or null for an invalid offset. */
function offsetOf(sign: string, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/** Days of a month in the proleptic Gregorian calendar; 0 for a month that does not exist. */
function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  if (month < 1 || month > 12) return 0
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
