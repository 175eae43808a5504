/** Instants: the notations that clients may use, and our own. */
import Type from 'typebox'
import { readIso, readUtc } from './time/iso-text'

/** The furthest instant that a JavaScript Date can hold, either way (ECMA-262, 21.4.1.1). */
export const INSTANT_MS_MAX = 8.64e15

/** What `parseInstant` understands, for a message that says what was expected. */
export const INSTANT_EXPECTED = 'an ISO 8601 time with an offset, or integer epoch milliseconds'

/** An instant in a request; only its form, `parseInstant` validates the value. */
export const InstantInput = Type.Union([Type.String({ maxLength: 64 }), Type.Integer()], {
  description: INSTANT_EXPECTED,
})

/** What `parseRecordedAt` understands. */
export const RECORDED_AT_EXPECTED =
  'an ISO 8601 time with an offset, integer epoch milliseconds, or epoch seconds'

/** When a point was recorded, in a request. Only the form; `parseRecordedAt` validates the value. */
export const RecordedAtInput = Type.Union([Type.String({ maxLength: 64 }), Type.Number()], {
  description: RECORDED_AT_EXPECTED,
})

/** Contract section 8.14: a number below is epoch seconds. */
export const EPOCH_SECONDS_BELOW = 1e11

/** An instant in a response or event, as `toIso` writes it. */
export const Iso = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'an ISO 8601 UTC time with milliseconds',
  examples: ['2026-05-01T15:00:00.000Z'],
})

/** Epoch milliseconds of ISO 8601 with an offset or of an integer; null for anything else. */
export function parseInstant(value: unknown): number | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) <= INSTANT_MS_MAX ? value : null
  if (typeof value !== 'string') return null
  return readUtc(value) ?? readIso(value)
}

/** `parseInstant`, but a number below 1e11 is epoch seconds. */
export function parseRecordedAt(value: unknown): number | null {
  if (typeof value !== 'number' || !(value < EPOCH_SECONDS_BELOW)) return parseInstant(value)
  return parseInstant(Math.round(value * 1000))
}

/** ISO 8601 UTC with milliseconds. @throws RangeError outside `INSTANT_MS_MAX` */
export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Writes instants as `2026-05-01T23:00:00.000+08:00`. @throws RangeError outside `INSTANT_MS_MAX` */
export function isoInZone(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  return (ms) => {
    const [, sign = '+', hours = '00', minutes = '00'] = OFFSET.exec(format.format(ms)) ?? []
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
    return `${toIso(ms + offsetMs).slice(0, -1)}${sign}${hours}:${minutes}`
  }
}
/** `GMT+08:00`, or `GMT` alone. */
const OFFSET = /GMT([+-])(\d{2}):(\d{2})/

/** Whether a name is a time zone of IANA; `+08:00` would mean the opposite to PostgreSQL. */
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
