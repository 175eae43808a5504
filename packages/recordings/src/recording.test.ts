import { expect, test } from 'bun:test'
import { readRecording as read } from './recording.ts'
import { Unreadable } from './unreadable.ts'

const readRecording = (text: string) => read(new TextEncoder().encode(text))

const AT = Date.parse('2026-04-17T14:05:00Z')
const PLACE = { lat: 24.3457, lng: 120.6238, recordedAt: AT }
const NOTHING = { accuracy: null, speed: null, altitude: null, heading: null }

const gpx = (version: string, points: string) =>
  `<?xml version="1.0"?><gpx version="${version}"><trk><trkseg>${points}</trkseg></trk></gpx>`

test('a GPX 1.1 track keeps place, time and altitude', () => {
  const point = '<trkpt lat="24.3457" lon="120.6238"><ele>12.5</ele><time>2026-04-17T14:05:00Z</time></trkpt>'
  expect(readRecording(gpx('1.1', point))).toEqual({
    format: 'gpx',
    fixes: [{ ...PLACE, ...NOTHING, altitude: 12.5 }],
    withoutTime: 0,
    withoutPlace: 0,
    incomplete: false,
  })
})

test('a GPX 1.0 track has speed (m/s) and course; quotes and order of attributes do not matter', () => {
  const point =
    "<trkpt lon='120.6238' lat='24.3457'><time>2026-04-17T22:05:00+08:00</time><course>90</course><speed>1.5</speed></trkpt>"
  expect(readRecording(gpx('1.0', point)).fixes[0]).toEqual({ ...PLACE, ...NOTHING, speed: 5.4, heading: 90 })
})

test('GPX with a namespace, comments and Garmin extensions is read', () => {
  const point = `<!-- <trkpt lat="1" lon="1"/> --><gpx:trkpt lat="24.3457" lon="120.6238"><gpx:time>2026-04-17T14:05:00.000Z</gpx:time>
    <gpx:extensions><tpx:TrackPointExtension><tpx:speed>2</tpx:speed></tpx:TrackPointExtension></gpx:extensions></gpx:trkpt>`
  expect(readRecording(gpx('1.1', point)).fixes).toEqual([{ ...PLACE, ...NOTHING, speed: 7.2 }])
})

test('points without a time, or without a place, are skipped and counted', () => {
  const points =
    '<trkpt lat="24.3" lon="120.6"/><trkpt lat="x" lon="120.6"><time>2026-04-17T14:05:00Z</time></trkpt>'
  expect(readRecording(gpx('1.1', points))).toEqual({
    format: 'gpx',
    fixes: [],
    withoutTime: 1,
    withoutPlace: 1,
    incomplete: false,
  })
})

test('a GPX route is read where there is no track', () => {
  const route =
    '<gpx><rte><rtept lat="24.3457" lon="120.6238"><time>2026-04-17T14:05:00Z</time></rtept></rte></gpx>'
  expect(readRecording(route).fixes).toHaveLength(1)
})

test('GeoJSON points and lines with times are read, duplicates once; longitude comes first', () => {
  const coordinates = [120.6238, 24.3457, 30]
  const point = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties: { time: '2026-04-17T14:05:00Z', accuracy: 8 },
  }
  const lines = {
    type: 'Feature',
    geometry: {
      type: 'MultiLineString',
      coordinates: [[[120.7, 24]], [coordinates, [120.8, 24], [120.9, 24]]],
    },
    properties: { coordTimes: [['2026-04-17T14:05:00Z'], ['2026-04-17T14:05:00Z', AT, AT / 1000]] },
  }
  const { format, fixes } = readRecording(
    JSON.stringify({ type: 'FeatureCollection', features: [point, lines] }),
  )
  expect(format).toBe('geojson')
  expect(fixes[0]).toEqual({ ...PLACE, ...NOTHING, altitude: 30, accuracy: 8 })
  expect(fixes.map(({ recordedAt }) => recordedAt)).toEqual([AT, AT, AT, AT])
})

test.each([
  ['lat,lon,time\n24.3457,120.6238,2026-04-17T14:05:00Z\n'],
  ['Latitude;Longitude;Timestamp\r\n24.3457;120.6238;1776434700000\r\n'],
  ['time\tlat\tlng\n1776434700\t24.3457\t120.6238'],
  ['"recorded_at","name","lat","long"\n"2026-04-17 14:05:00","a, ""b""","24.3457","120.6238"'],
])('CSV is read by the names in its first line: %j', (text) => {
  expect(readRecording(text)).toMatchObject({ format: 'csv', fixes: [PLACE], withoutTime: 0 })
})

test('CSV keeps line breaks, separators and doubled quotes inside quotes, and may start with a byte order mark', () => {
  const text =
    '\uFEFF"note","lat","lon","time"\r\n"rest;\r\n""tea"", 13 km","24.3457","120.6238","2026-04-17T14:05:00Z"\r\n'
  expect(readRecording(text)).toMatchObject({
    format: 'csv',
    fixes: [PLACE],
    withoutTime: 0,
    withoutPlace: 0,
  })
})

test.each([
  ['comma', ',', '.'],
  ['semicolon', ';', '.'],
  ['semicolon and decimal comma', ';', ','],
  ['tab and decimal comma', '\t', ','],
])('an export of phyphox is read: %s', (_, separator, decimal) => {
  const head = [
    ...['Time (s)', 'Latitude (°)', 'Longitude (°)', 'Height (m)', 'Velocity (m/s)'],
    ...['Direction (°)', 'Horizontal Accuracy (m)', 'Vertical Accuracy (m)'],
  ]
  const rows = [
    ['1.500000000E0', '2.434570000E1', '1.206238000E2', '1.25E1', '1.5E0', '9.0E1', '4.0E0', '3.0E0'],
    ['2.500000000E0', '2.434580000E1', '1.206239000E2', '1.25E1', 'NaN', '-1.0E0', '-1.0E0', 'NaN'],
  ].map((row) => row.map((cell) => cell.replace('.', decimal)))
  const text = [head.map((cell) => `"${cell}"`), ...rows].map((row) => row.join(separator)).join('\n')
  expect(readRecording(text).fixes).toEqual([
    { lat: 24.3457, lng: 120.6238, recordedAt: 1_500, accuracy: 4, speed: 5.4, altitude: 12.5, heading: 90 },
    { ...NOTHING, lat: 24.3458, lng: 120.6239, recordedAt: 2_500, altitude: 12.5 },
  ])
})

test('Excel’s first line and short rows are accepted', () => {
  const text = 'sep=;\r\nlat;lon;time;acc\r\n24,3457;120,6238;1776434700\r\n\r\n'
  expect(readRecording(text).fixes).toEqual([{ ...PLACE, ...NOTHING }])
})

test('a speed in CSV is metres per second unless it says km/h', () => {
  const speeds = (head: string) => readRecording(`lat,lon,time,${head}\n1,2,1776434700,10`).fixes[0]?.speed
  expect(['speed', 'speed_kmh', 'Speed (km/h)', 'Speed [m/s]', 'speed (mph)'].map(speeds)).toEqual([
    ...[36, 10, 10, 36, 16.093_44],
  ])
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
    format: 'owntracks',
    fixes: [{ ...PLACE, accuracy: 9, speed: 4, altitude: 7, heading: 200 }],
  })
})

test('GPX is read through CDATA, entities and a byte order mark', () => {
  const points = `<trkpt lat="24.3457" lon="&#49;20.6238"><time><![CDATA[2026-04-17T14:05:00Z]]></time>
    <name><![CDATA[<trkpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></trkpt>]]></name></trkpt>`
  expect(readRecording(`\uFEFF${gpx('1.1', points)}`).fixes).toEqual([{ ...PLACE, ...NOTHING }])
})

test('a truncated GPX is read up to its end', () => {
  const point = '<trkpt lat="24.3457" lon="120.6238"><time>2026-04-17T14:05:00Z</time></trkpt>'
  expect(readRecording(gpx('1.1', `${point}${point}`).slice(0, -60)).fixes).toEqual([
    { ...PLACE, ...NOTHING },
  ])
})

test('an iPhone’s −1 means not measured, in every format', () => {
  const properties = {
    timestamp: '2026-04-17T14:05:00Z',
    horizontal_accuracy: -1,
    speed: -1,
    course: -1,
    altitude: -3,
  }
  const feature = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [120.6238, 24.3457] },
    properties,
  }
  const texts = [
    JSON.stringify({ type: 'FeatureCollection', features: [feature] }),
    JSON.stringify({ ...location(AT / 1000), acc: -1, vel: -1, cog: -1, alt: -3 }),
    'lat,lon,time,accuracy,speed,heading,altitude\n24.3457,120.6238,1776434700,-1,-1,-1,-3',
    gpx(
      '1.0',
      '<trkpt lat="24.3457" lon="120.6238"><ele>-3</ele><time>2026-04-17T14:05:00Z</time><course>-1</course><speed>-1</speed><accuracy>-1</accuracy></trkpt>',
    ),
  ]
  for (const text of texts)
    expect(readRecording(text).fixes).toEqual([{ ...PLACE, ...NOTHING, altitude: -3 }])
})

test('speeds in GeoJSON are metres per second, as loggers write them, and km/h in our own exports', () => {
  const speeds = (properties: object) =>
    readRecording(
      JSON.stringify({ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties }),
    ).fixes[0]?.speed
  expect(speeds({ time: '2026-04-17T14:05:00Z', speed: 10 })).toBe(36)
  expect(speeds({ recordedAt: '2026-04-17T14:05:00Z', speed: 10 })).toBe(10)
})

test('our own exports are read back unchanged, each point once', () => {
  const time = '2026-04-17T14:05:00Z'
  const place = [120.6238, 24.3457]
  const line = {
    type: 'Feature',
    geometry: { type: 'LineString', coordinates: [place, [120.7, 24.4]] },
    properties: {
      coordTimes: [time, '2026-04-17T14:06:00Z'],
      coordinateProperties: { accuracy: [8, null], speed: [4.5, null] },
    },
  }
  const point = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: place },
    properties: { recordedAt: time },
  }
  const whole = { ...PLACE, ...NOTHING, accuracy: 8, speed: 4.5 }
  const { fixes } = readRecording(JSON.stringify({ type: 'FeatureCollection', features: [line, point] }))
  expect(fixes).toEqual([whole, { ...NOTHING, lat: 24.4, lng: 120.7, recordedAt: AT + 60_000 }])
  const extensions =
    '<extensions><palanquin:accuracy>8</palanquin:accuracy><palanquin:speed>4.5</palanquin:speed></extensions>'
  const exported = `<trkpt lat="24.3457" lon="120.6238"><time>${time}</time>${extensions}</trkpt>`
  expect(readRecording(gpx('1.1', exported)).fixes).toEqual([whole])
})

test('an unknown format is refused in one sentence', () => {
  for (const text of [
    '{"a": 1}',
    'name,age\nA-Mei,40',
    '',
    '<html><body/></html>',
    '<gpx',
    'lat,lon,time\n"1,2,3',
  ])
    expect(() => readRecording(text)).toThrow(Unreadable)
})
