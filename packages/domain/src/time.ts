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

/** An instant in an answer or event, as `toIso` writes it. */
export const Iso = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'an ISO 8601 UTC time with milliseconds',
  examples: ['2026-05-01T15:00:00.000Z'],
})

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
  const part = ISO_FORM.exec(value)
  if (part === null) return null
  const year = twoDigits(value, 0) * 100 + twoDigits(value, 2)
  const month = twoDigits(value, 5)
  const day = twoDigits(value, 8)
  const hour = twoDigits(value, 11)
  const minute = twoDigits(value, 14)
  const [, seconds, fraction, sign, offsetHours, offsetMinutes] = part
  const second = seconds === undefined ? 0 : Number(seconds)
  const offset = sign === undefined ? 0 : offsetOf(sign, Number(offsetHours), Number(offsetMinutes ?? 0))
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 || offset === null)
    return null
  const utc = Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE_MS
  return utc + (fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))) - offset * MINUTE_MS
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
  return (text.charCodeAt(from) - 48) * 10 + text.charCodeAt(from + 1) - 48
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
