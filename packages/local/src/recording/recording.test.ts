import { expect, test } from 'bun:test'
import { LauncherError } from '../launcher-error.ts'
import { readRecording } from './recording.ts'

const AT = Date.parse('2026-04-17T14:05:00Z')
const PLACE = { lat: 24.3457, lng: 120.6238, recordedAt: AT }
const NOTHING = { accuracy: null, speed: null, altitude: null, heading: null }

const gpx = (version: string, points: string) =>
  `<?xml version="1.0"?><gpx version="${version}"><trk><trkseg>${points}</trkseg></trk></gpx>`

test('a GPX 1.1 track keeps place, time and altitude', () => {
  const point = '<trkpt lat="24.3457" lon="120.6238"><ele>12.5</ele><time>2026-04-17T14:05:00Z</time></trkpt>'
  expect(readRecording(gpx('1.1', point))).toEqual({
    format: 'GPX',
    fixes: [{ ...PLACE, ...NOTHING, altitude: 12.5 }],
    withoutTime: 0,
    withoutPlace: 0,
  })
})

test('a GPX 1.0 track brings speed (m/s) and course; quotes and order of attributes do not matter', () => {
  const point =
    "<trkpt lon='120.6238' lat='24.3457'><time>2026-04-17T22:05:00+08:00</time><course>90</course><speed>1.5</speed></trkpt>"
  expect(readRecording(gpx('1.0', point)).fixes[0]).toEqual({ ...PLACE, ...NOTHING, speed: 5.4, heading: 90 })
})

test('GPX with a namespace, comments and Garmin extensions is read all the same', () => {
  const point = `<!-- <trkpt lat="1" lon="1"/> --><gpx:trkpt lat="24.3457" lon="120.6238"><gpx:time>2026-04-17T14:05:00.000Z</gpx:time>
    <gpx:extensions><tpx:TrackPointExtension><tpx:speed>2</tpx:speed></tpx:TrackPointExtension></gpx:extensions></gpx:trkpt>`
  expect(readRecording(gpx('1.1', point)).fixes).toEqual([{ ...PLACE, ...NOTHING, speed: 7.2 }])
})

test('points without a time, or without a place, are skipped and counted', () => {
  const points =
    '<trkpt lat="24.3" lon="120.6"/><trkpt lat="x" lon="120.6"><time>2026-04-17T14:05:00Z</time></trkpt>'
  expect(readRecording(gpx('1.1', points))).toEqual({
    format: 'GPX',
    fixes: [],
    withoutTime: 1,
    withoutPlace: 1,
  })
})

test('a GPX route is read where there is no track', () => {
  const route =
    '<gpx><rte><rtept lat="24.3457" lon="120.6238"><time>2026-04-17T14:05:00Z</time></rtept></rte></gpx>'
  expect(readRecording(route).fixes).toHaveLength(1)
})

test('GeoJSON points and lines with times are read; longitude comes first there', () => {
  const coordinates = [120.6238, 24.3457, 30]
  const point = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties: { time: '2026-04-17T14:05:00Z', accuracy: 8 },
  }
  const lines = {
    type: 'Feature',
    geometry: { type: 'MultiLineString', coordinates: [[coordinates], [coordinates, coordinates]] },
    properties: { coordTimes: [['2026-04-17T14:05:00Z'], [AT, AT / 1000]] },
  }
  const { format, fixes } = readRecording(
    JSON.stringify({ type: 'FeatureCollection', features: [point, lines] }),
  )
  expect(format).toBe('GeoJSON')
  expect(fixes[0]).toEqual({ ...PLACE, ...NOTHING, altitude: 30, accuracy: 8 })
  expect(fixes.map(({ recordedAt }) => recordedAt)).toEqual([AT, AT, AT, AT])
})

test.each([
  ['lat,lon,time\n24.3457,120.6238,2026-04-17T14:05:00Z\n'],
  ['Latitude;Longitude;Timestamp\r\n24.3457;120.6238;1776434700000\r\n'],
  ['time\tlat\tlng\n1776434700\t24.3457\t120.6238'],
  ['"recorded_at","name","lat","long"\n"2026-04-17 14:05:00","a, ""b""","24.3457","120.6238"'],
])('CSV is read by the names in its first line: %j', (text) => {
  expect(readRecording(text)).toMatchObject({ format: 'CSV', fixes: [PLACE], withoutTime: 0 })
})

test('a speed in CSV is metres per second unless it says km/h', () => {
  const speeds = (head: string) => readRecording(`lat,lon,time,${head}\n1,2,1776434700,10`).fixes[0]?.speed
  expect([speeds('speed'), speeds('speed_kmh')]).toEqual([36, 10])
})

const location = (tst: number) => ({
  _type: 'location',
  lat: 24.3457,
  lon: 120.6238,
  tst,
  acc: 9,
  vel: 4,
  alt: 7,
  cog: 200,
})

test.each([
  ['an array', JSON.stringify([location(AT / 1000), { _type: 'transition' }])],
  ['lines', `${JSON.stringify(location(AT / 1000))}\n${JSON.stringify({ _type: 'lwt' })}\n`],
  ['one object', JSON.stringify(location(AT / 1000))],
  ["a recorder's answer", JSON.stringify({ count: 1, data: [location(AT / 1000)] })],
  ["a recorder's file", `2026-04-17T14:05:00Z\t*                 \t${JSON.stringify(location(AT / 1000))}\n`],
])('OwnTracks is read from %s', (_, text) => {
  expect(readRecording(text)).toMatchObject({
    format: 'OwnTracks',
    fixes: [{ ...PLACE, accuracy: 9, speed: 4, altitude: 7, heading: 200 }],
  })
})

test('what is none of these is refused with a sentence', () => {
  for (const text of ['{"a": 1}', 'name,age\nA-Mei,40', ''])
    expect(() => readRecording(text)).toThrow(LauncherError)
})
