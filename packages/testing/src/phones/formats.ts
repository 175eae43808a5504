import type { Point } from '@palanquin/domain/point'

/** A fix in our units, as a phone measured it: some of them are not known. */
export type PhoneFix = Pick<Point, 'lat' | 'lng' | 'recordedAt'> &
  Partial<Pick<Point, 'accuracy' | 'speed' | 'altitude' | 'heading'>> & { battery?: number }

const KMH_OF_KNOT = 1.852

/** Metres per second, with four decimals. */
export const inMs = (kmh: number | null | undefined, digits = 4): number | undefined =>
  inUnit(kmh, 3.6, digits)
/** Knots, with two decimals. */
export const inKnots = (kmh: number | null | undefined): number | undefined => inUnit(kmh, KMH_OF_KNOT, 2)

/** A message of OwnTracks. */
export const owntracksOf = ({
  lat,
  lng,
  recordedAt,
  accuracy,
  altitude,
  speed,
  heading,
  battery,
}: PhoneFix) => ({
  _type: 'location',
  tid: 'ja',
  t: 'p',
  lat,
  lon: lng,
  tst: seconds(recordedAt),
  alt: altitude,
  batt: battery,
  // Whole metres and km/h.
  acc: inUnit(accuracy, 1, 0),
  vel: inUnit(speed, 1, 0) ?? 0,
  cog: heading,
})

/** A feature of Overland: whole m/s, -1 for what is unknown. */
export const featureOf = ({
  lat,
  lng,
  recordedAt,
  accuracy,
  altitude,
  speed,
  heading,
  battery,
}: PhoneFix) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [lng, lat] },
  properties: {
    timestamp: new Date(recordedAt).toISOString(),
    altitude,
    horizontal_accuracy: accuracy ?? -1,
    speed: inMs(speed, 0) ?? -1,
    course: heading ?? -1,
    battery_state: 'unplugged',
    battery_level: battery === undefined ? -1 : battery / 100,
    motion: ['walking'],
  },
})

/** A row of PhoneTrack's lists. */
export const rowOf = ({ lat, lng, recordedAt, accuracy, altitude, speed, heading, battery }: PhoneFix) => [
  ...[lat, lng, seconds(recordedAt), altitude ?? '', accuracy ?? '', battery ?? '', 9, 'PhoneTrack/0.0.20'],
  ...[inMs(speed) ?? '', heading ?? ''],
]

/** `$GPRMC`: knots, degrees and minutes, no accuracy. */
export function sentenceOf({ lat, lng, recordedAt, speed, heading }: PhoneFix): string {
  const [date = '', clock = ''] = new Date(recordedAt).toISOString().slice(2, 19).split('T')
  const [year, month, day] = date.split('-')
  const angle = (degrees: number) => {
    const whole = Math.trunc(Math.abs(degrees))
    return `${String(whole).padStart(2, '0')}${((Math.abs(degrees) - whole) * 60).toFixed(5).padStart(8, '0')}`
  }
  const knots = inUnit(speed ?? 0, KMH_OF_KNOT, 6)
  return `$GPRMC,${clock.replaceAll(':', '')},A,${angle(lat)},${lat < 0 ? 'S' : 'N'},${angle(lng)},${lng < 0 ? 'W' : 'E'},${knots},${heading ?? 0},${day}${month}${year},,*00`
}

export const seconds = (ms: number): number => Math.floor(ms / 1_000)

function inUnit(kmh: number | null | undefined, unit: number, digits: number): number | undefined {
  return kmh === null || kmh === undefined ? undefined : Number((kmh / unit).toFixed(digits))
}
