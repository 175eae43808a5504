/** Instants: how a client may write one, and how we write it. No clock here: `now` is always passed in. */
import Type from 'typebox'

/** The furthest instant that a JavaScript Date can hold, either way (ECMA-262, 21.4.1.1). */
export const INSTANT_MS_MAX = 8.64e15

const MINUTE_MS = 60_000

/** The calendar repeats after 400 years. Date.UTC takes years below 100 for those of 1900, so we ask it 400 years on. */
const CYCLE_YEARS = 400
const CYCLE_MS = 146_097 * 86_400_000

/** What `parseInstant` understands, for a message that says what was expected. */
export const INSTANT_EXPECTED = 'an ISO 8601 time with an offset, or integer epoch milliseconds'

/** An instant in a request: text or epoch milliseconds. The form alone; `parseInstant` judges the value. */
export const InstantInput = Type.Union([Type.String({ maxLength: 64 }), Type.Integer()], {
  description: INSTANT_EXPECTED,
})

/** What `parseRecordedAt` understands. */
export const RECORDED_AT_EXPECTED =
  'an ISO 8601 time with an offset, integer epoch milliseconds, or epoch seconds'

/** When a point was recorded, in a request. The form alone; `parseRecordedAt` judges the value. */
export const RecordedAtInput = Type.Union([Type.String({ maxLength: 64 }), Type.Number()], {
  description: RECORDED_AT_EXPECTED,
})

/** Contract section 8.14: a number below is epoch seconds. In milliseconds it is 3 March 1973, in seconds the year 5138. */
export const EPOCH_SECONDS_BELOW = 1e11

/** An instant in an answer or event, as `toIso` writes it. */
export const Iso = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'an ISO 8601 UTC time with milliseconds',
  examples: ['2026-05-01T15:00:00.000Z'],
})

/** A zero stands for any digit. */
const UTC_FORM = '0000-00-00T00:00:00.000Z'
const ZERO = 48
const NINE = 57

// Everything up to the minutes stands at a fixed place. Then the seconds, their fraction, and the offset.
const ISO_FORM =
  /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/

/**
 * Epoch milliseconds of an instant, or null if it is none.
 * Understood: ISO 8601 date and time with `Z`, `±hh:mm`, `±hhmm` or `±hh` (seconds and their fraction may be left out;
 * a fraction of any length is cut to milliseconds), and an integer number of epoch milliseconds. Null: no offset (whose
 * noon?), impossible dates (30 February), hour 24, leap seconds (no clock of ours shows them), digits in a string.
 */
export function parseInstant(value: unknown): number | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) <= INSTANT_MS_MAX ? value : null
  if (typeof value !== 'string') return null
  return readUtc(value) ?? readIso(value)
}

/** `parseInstant`, but a number below 1e11 is epoch seconds, whose fraction is rounded to milliseconds. */
export function parseRecordedAt(value: unknown): number | null {
  if (typeof value !== 'number' || !(value < EPOCH_SECONDS_BELOW)) return parseInstant(value)
  return parseInstant(Math.round(value * 1000))
}

/** The form that `toISOString` writes and nearly every phone sends, less than half the time of the whole grammar; null for any other. */
function readUtc(text: string): number | null {
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

function readIso(value: string): number | null {
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

/** Epoch milliseconds of what calendar and clock show in UTC; null where they show no such thing. */
function instantOf({ year, month, day, hour, minute, second, millisecond }: Clock): number | null {
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return null
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE_MS + millisecond
}

/** ISO 8601 UTC with milliseconds, as every answer writes a time. Throws RangeError outside `INSTANT_MS_MAX`. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Whether a name is a time zone of the IANA database (`Asia/Taipei`, `UTC`). Offsets are none: `+08:00` means the
 * opposite to PostgreSQL.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return false
  }
}

function twoDigits(text: string, from: number): number {
  return (text.charCodeAt(from) - ZERO) * 10 + text.charCodeAt(from + 1) - ZERO
}

/** Minutes east of UTC, or null if a clock cannot show it. */
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
