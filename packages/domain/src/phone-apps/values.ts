/** Numbers and times as the apps write them. */
import { ALTITUDE_M_MAX, ALTITUDE_M_MIN } from '../point/input'
import { INSTANT_MS_MAX, parseInstant, parseRecordedAt } from '../time'

export const KMH_OF_KNOT = 1.852
export const KMH_OF_MS = 3.6

const NUMERAL = /^[-+.\deE]{1,40}$/
/** A `+` that was not escaped in a query has become a space: `2026-05-01T08:00:00 02:00`. */
const LOST_PLUS = /^(\d{4}-\d\d-\d\dT[\d:.]{5,18}) (\d\d:?\d\d)$/
const WITHOUT_OFFSET = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)$/

/** A number or numeral; undefined where none is said (empty, NaN, Infinity), null for anything else. */
export function numberOf(value: unknown): number | null | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (text === '' || /^[-+]?(?:nan|inf(?:inity)?)$/i.test(text)) return undefined
  const number = NUMERAL.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : null
}

/** Epoch ms of seconds, milliseconds, ISO 8601 or `yyyy-MM-dd HH:mm:ss` (UTC); null for what is none. */
export function timeOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const number = numberOf(value)
  if (typeof number === 'number') return parseRecordedAt(roundMs(number))
  if (typeof value !== 'string') return null
  const text = value.trim().replace(LOST_PLUS, '$1+$2')
  return parseInstant(text) ?? parseInstant(text.replace(WITHOUT_OFFSET, '$1T$2Z'))
}

/** Milliseconds with a fraction are cut to whole ones; seconds keep theirs. */
const roundMs = (number: number): number =>
  number >= 1e11 && number <= INSTANT_MS_MAX ? Math.round(number) : number

/** A quantity that is negative where the phone does not know it. */
function amountOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return typeof number === 'number' && number >= 0 ? number : undefined
}

/** km/h of a speed in a unit of so many km/h. */
export function speedOf(value: unknown, kmhOfUnit: number): number | undefined {
  const amount = amountOf(value)
  return amount === undefined ? undefined : amount * kmhOfUnit
}

/** Metres; no phone is exact, so 0 means that it does not know. */
export const accuracyOf = (value: unknown): number | undefined => amountOf(value) || undefined

/** Degrees from north. */
export function headingOf(value: unknown): number | undefined {
  const degrees = amountOf(value)
  return degrees !== undefined && degrees <= 360 ? degrees : undefined
}

/** Metres. A place is no worse for an altitude that cannot be. */
export function altitudeOf(value: unknown): number | undefined {
  const metres = numberOf(value)
  return typeof metres === 'number' && metres >= ALTITUDE_M_MIN && metres <= ALTITUDE_M_MAX
    ? metres
    : undefined
}

/** Per cent of a battery that is given in per cent, or as a fraction of 1. */
export function batteryOf(value: unknown, unit: 'percent' | 'fraction'): number | undefined {
  const amount = amountOf(value)
  if (amount === undefined) return undefined
  const percent = Math.round(unit === 'fraction' ? amount * 100 : amount)
  return percent <= 100 ? percent : undefined
}

/** The battery of apps that say 0 where they do not know it. */
export const batteryUnlessZero = (value: unknown): number | undefined =>
  batteryOf(value, 'percent') || undefined

/** Whether it charges, where an app says so. */
export function chargingOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === '1') return true
  return value === 'false' || value === '0' ? false : undefined
}
