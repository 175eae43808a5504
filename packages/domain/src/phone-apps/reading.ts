/** What is read of a request: its points, in our units, and what else the owner wants to know. */
import { accuracyOf, altitudeOf, headingOf, numberOf, timeOf } from './values'

/** Degrees, epoch ms, metres, km/h. Without a `recordedAt` it was recorded when it arrives. */
export type AppPoint = {
  readonly lat: number
  readonly lng: number
  readonly recordedAt?: number
  readonly accuracy?: number
  readonly speed?: number
  readonly altitude?: number
  readonly heading?: number
}

/** Of the phone, at its latest point: per cent, and whether it charges. */
export type Battery = { readonly battery?: number; readonly charging?: boolean }

/** Why something that was sent is no point of a walk. */
export type Unread = 'not_a_point' | 'invalid'

/** A point as one item of a request gives it, or why it gives none. */
export type Item = (Battery & { readonly point: AppPoint; readonly byHand?: boolean }) | Unread

export type Reading = Battery & {
  readonly points: readonly AppPoint[]
  readonly notPoints: number
  readonly invalid: number
  /** Every point was sent by a tap: the phone reports none by itself. */
  readonly byHand: boolean
}

/** What an app says of a fix, as it says it; `speed` in km/h. */
export type Fix = {
  readonly lat: unknown
  readonly lng: unknown
  readonly time: unknown
  readonly accuracy?: unknown
  readonly speed?: number | undefined
  readonly altitude?: unknown
  readonly heading?: unknown
}

/** The point of a fix; `untimed` are the apps whose points may come without a time. */
export function pointOf(fix: Fix, times: 'timed' | 'untimed' = 'timed'): AppPoint | Unread {
  const lat = numberOf(fix.lat)
  const lng = numberOf(fix.lng)
  if (lat === undefined || lng === undefined) return 'not_a_point'
  if (lat === null || lng === null) return 'invalid'
  if (Math.abs(lat) > 90 || Math.abs(lng) > 180) return 'not_a_point'
  const recordedAt = timeOf(fix.time)
  if (recordedAt === null || (recordedAt === undefined && times === 'timed')) return 'invalid'
  return {
    lat,
    lng,
    ...field('recordedAt', recordedAt),
    ...field('accuracy', accuracyOf(fix.accuracy)),
    ...field('speed', fix.speed),
    ...field('altitude', altitudeOf(fix.altitude)),
    ...field('heading', headingOf(fix.heading)),
  }
}

/** A field that is left out where nothing is known. */
export const field = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } => {
  const fields: { [P in K]?: V } = {}
  if (value !== undefined) fields[key] = value
  return fields
}

/** One reading out of its items; the battery is that of the last one that says it. */
export function readingOf(items: readonly Item[]): Reading {
  const points: AppPoint[] = []
  let latest: Battery = {}
  let notPoints = 0
  let byHand = 0
  for (const item of items) {
    if (item === 'not_a_point') notPoints++
    if (typeof item === 'string') continue
    points.push(item.point)
    if (item.byHand) byHand++
    latest = { ...latest, ...field('battery', item.battery), ...field('charging', item.charging) }
  }
  const invalid = items.length - notPoints - points.length
  return { points, notPoints, invalid, byHand: points.length > 0 && byHand === points.length, ...latest }
}

export const NOTHING_READ: Reading = readingOf([])
/** A body that is not JSON where JSON is expected. */
export const UNREADABLE: Reading = readingOf(['invalid'])
export const NO_POINT: Reading = readingOf(['not_a_point'])
