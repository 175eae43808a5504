import { kmhOf, type RawFix } from '../fix.ts'
import type { Found } from '../found.ts'
import { Unreadable } from '../unreadable.ts'
import { readXml } from './read.ts'

/** Points of a Training Center file. @returns whether it was truncated @throws Unreadable */
export function readTcx(texts: Iterable<string>, found: Found): boolean {
  let point: RawFix | undefined
  const { incomplete } = readXml(texts, {
    open: ({ name }) => {
      if (name === 'Trackpoint') point = {}
    },
    close: ({ name }, text) => {
      if (!point) return
      if (name === 'Time') point.time ??= text
      else if (name === 'LatitudeDegrees') point.lat ??= text
      else if (name === 'LongitudeDegrees') point.lng ??= text
      else if (name === 'AltitudeMeters') point.altitude ??= text
      else if (name === 'Speed') point.speed ??= kmhOf(text)
      else if (name === 'Trackpoint') {
        found.add(point)
        point = undefined
      }
    },
  })
  if (incomplete && found.fixes.length === 0)
    throw new Unreadable('damaged', 'This TCX ends before its first point.')
  return incomplete
}
