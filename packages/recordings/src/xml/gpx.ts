import { kmhOf, type RawFix } from '../fix.ts'
import type { Found } from '../found.ts'
import { Unreadable } from '../unreadable.ts'
import { type Attributes, type Element, readXml } from './read.ts'

const POINTS = ['trkpt', 'rtept', 'wpt'] as const
type PointName = (typeof POINTS)[number]
/** Our own exports have km/h in the extensions of a point; all others metres per second. */
const KMH_SPEED = 'palanquin:speed'

/** Points of tracks, else routes, else waypoints. @returns whether it was truncated @throws Unreadable */
export function readGpx(texts: Iterable<string>, found: Found): boolean {
  // Waypoints and routes come before tracks; where there is a track they are of no use.
  const others: Record<Exclude<PointName, 'trkpt'>, RawFix[]> = { rtept: [], wpt: [] }
  let hasTrack = false
  let point: { name: PointName; fix: RawFix } | undefined
  const keep = (name: PointName, fix: RawFix) => {
    if (name === 'trkpt') {
      hasTrack = true
      found.add(fix)
    } else if (!hasTrack) others[name].push(fix)
  }
  const { incomplete } = readXml(texts, {
    open: ({ name }, attributes) => {
      const element = POINTS.find((each) => each === name)
      if (element) point = { name: element, fix: placeOf(attributes) }
    },
    close: (element, text) => {
      if (!point) return
      if (element.name !== point.name) return read(point.fix, element, text)
      keep(point.name, point.fix)
      point = undefined
    },
  })
  if (!hasTrack) for (const fix of others.rtept.length > 0 ? others.rtept : others.wpt) found.add(fix)
  if (incomplete && found.fixes.length === 0)
    throw new Unreadable('damaged', 'This GPX ends before its first point.')
  return incomplete
}

const placeOf = ({ lat, lon }: Attributes): RawFix => ({ lat, lng: lon })

/** A child element of a point, with or without a namespace, also inside `extensions`. */
function read(fix: RawFix, { name, qualified }: Element, text: string): void {
  if (qualified === KMH_SPEED) fix.speed = text
  else
    switch (name) {
      case 'time':
        fix.time ??= text
        break
      case 'ele':
        fix.altitude ??= text
        break
      case 'course':
        fix.heading ??= text
        break
      case 'speed':
        fix.speed ??= kmhOf(text)
        break
      case 'accuracy':
        fix.accuracy ??= text
        break
    }
}
