/** Instants: how a client may write one, and how we write it. No clock here: `now` is always passed in. */
import Type from 'typebox'

/** The furthest instant that a JavaScript Date can hold, either way (ECMA-262, 21.4.1.1). */
export const INSTANT_MS_MAX = 8.64e15

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

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

//                 year     month    day         hour     minute     second     fraction          offset
const ISO_FORM =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/

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
  const day = daysSinceEpoch(Number(part[1]), Number(part[2]), Number(part[3]))
  const hour = Number(part[4])
  const minute = Number(part[5])
  const second = Number(part[6] ?? 0)
  const offset = offsetMinutes(part[8], Number(part[9] ?? 0), Number(part[10] ?? 0))
  if (day === null || hour > 23 || minute > 59 || second > 59 || offset === null) return null
  const ms = Number((part[7] ?? '').slice(0, 3).padEnd(3, '0'))
  return day * DAY_MS + (hour * 60 + minute - offset) * MINUTE_MS + second * 1000 + ms
}

/** ISO 8601 UTC with milliseconds, as every answer writes a time. Throws RangeError outside `INSTANT_MS_MAX`. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null
  const total = hours * 60 + minutes
  return sign === '-' ? -total : total
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar, or null if there is no such day. */
function daysSinceEpoch(year: number, month: number, day: number): number | null {
  // A date that does not exist rolls over into another month. setUTCFullYear, because Date.UTC takes year 50 for 1950.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / DAY_MS : null
}
