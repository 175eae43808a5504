/** OpenGTS, as GPSLogger and Locus speak it: an NMEA sentence in the query, with knots and UTC. */
import { field, NO_POINT, NOTHING_READ, pointOf, type Reading, readingOf, UNREADABLE } from './reading'
import { type AppRequest, asOne, first } from './request'
import { batteryUnlessZero, KMH_OF_KNOT, numberOf, speedOf } from './values'

/** Degrees and minutes in one number; GPSLogger writes longitudes with two digits, too. */
const ANGLE = /^(\d{1,3})(\d\d(?:\.\d{1,12})?)$/
const CLOCK = /^(\d\d)(\d\d)(\d\d)(\.\d{1,9})?$/
const DATE = /^(\d\d)(\d\d)(\d\d)$/

export function readOpengts(request: AppRequest): Reading {
  if (request.fields.size === 0 && request.json === undefined) return NOTHING_READ
  const fields = asOne(request)
  const { gprmc } = fields
  if (gprmc === undefined) return NO_POINT
  const sentence = typeof gprmc === 'string' ? gprmc.split(',') : []
  const [
    type = '',
    clock = '',
    valid = '',
    lat = '',
    south = '',
    lng = '',
    west = '',
    knots,
    course,
    date = '',
  ] = sentence
  if (!/^\$?G[A-Z]RMC$/.test(type)) return UNREADABLE
  if (valid !== 'A') return NO_POINT
  const point = pointOf({
    lat: degreesOf(lat, south === 'S'),
    lng: degreesOf(lng, west === 'W'),
    time: instantOf(date, clock),
    speed: speedOf(knots, KMH_OF_KNOT),
    altitude: first(fields, ['alt', 'altitude']),
    heading: numberOf(course),
  })
  if (typeof point === 'string') return readingOf([point])
  return readingOf([{ point, ...field('battery', batteryUnlessZero(fields.batt)) }])
}

/** `2407.51` is 24° 7.51'. */
function degreesOf(angle: string, isNegative: boolean): number | string {
  const [, degrees, minutes] = ANGLE.exec(angle) ?? []
  if (degrees === undefined || minutes === undefined) return angle
  const value = Number(degrees) + Number(minutes) / 60
  return isNegative ? -value : value
}

/** ISO 8601 of `ddmmyy` and `hhmmss`; the years are of this century. */
function instantOf(date: string, clock: string): string {
  const [, day, month, year] = DATE.exec(date) ?? []
  const [, hour, minute, second, fraction = ''] = CLOCK.exec(clock) ?? []
  if (year === undefined || second === undefined) return 'no time'
  return `20${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`
}
