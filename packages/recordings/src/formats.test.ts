import { expect, test } from 'bun:test'
import { gpx as geoJsonOfGpx, kml as geoJsonOfKml, tcx as geoJsonOfTcx } from '@tmcw/togeojson'
import { DOMParser } from '@xmldom/xmldom'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { fitFile } from '../test/fit-file.ts'
import { readRecording } from './recording.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readRecording(bytes(text))
const AT = Date.parse('2026-04-17T14:05:00Z')
const MINUTE = 60_000
const placesOf = (text: string) => read(text).fixes.map(({ lat, lng, recordedAt }) => [lat, lng, recordedAt])
const SEEDED = { seed: 20_260_417, numRuns: 60 }

const kml = (content: string) =>
  `\n<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><Folder>${content}</Folder></Document></kml>`
const when = (ms: number) => `<when>${new Date(ms).toISOString()}</when>`

test('KML: a gx:Track pairs its times with its places, in either order', () => {
  const track = `<Placemark><gx:MultiTrack><gx:Track>${when(AT)}${when(AT + MINUTE)}<gx:coord>120.6 24.3 12</gx:coord><gx:coord>120.7 24.4</gx:coord></gx:Track>
    <gx:Track>${when(AT + 2 * MINUTE)}<gx:coord>broken</gx:coord>${when(AT + 3 * MINUTE)}</gx:Track></gx:MultiTrack></Placemark>`
  const { format, fixes, withoutPlace } = read(kml(track))
  expect([format, withoutPlace]).toEqual(['kml', 2])
  expect(fixes).toMatchObject([
    { lat: 24.3, lng: 120.6, altitude: 12, recordedAt: AT },
    { lat: 24.4, lng: 120.7, altitude: null, recordedAt: AT + MINUTE },
  ])
})

test('KML: a place of one moment is a point; a line with one time for all, and a time span, are not', () => {
  const stamp = `<TimeStamp>${when(AT)}</TimeStamp>`
  const point = '<Point><coordinates>120.6,24.3,12</coordinates></Point>'
  const line = '<LineString><coordinates>120.6,24.3 120.7,24.4\n120.8,24.5</coordinates></LineString>'
  const span = '<TimeSpan><begin>2026-04-17T14:05:00Z</begin><end>2026-04-17T15:05:00Z</end></TimeSpan>'
  const marks = [`${stamp}${point}`, `${stamp}${line}`, `${span}${point}`]
  const { fixes, withoutTime } = read(kml(marks.map((mark) => `<Placemark>${mark}</Placemark>`).join('')))
  expect(fixes).toMatchObject([{ lat: 24.3, lng: 120.6, altitude: 12, recordedAt: AT }])
  expect(withoutTime).toBe(4)
})

test('KMZ is its KML, whatever lies beside it', () => {
  const document = kml(
    `<Placemark><TimeStamp>${when(AT)}</TimeStamp><Point><coordinates>120.6,24.3</coordinates></Point></Placemark>`,
  )
  const archive = zipSync({ 'files/icon.png': new Uint8Array(5_000), 'doc.kml': bytes(document) })
  const { format, fixes } = readRecording(archive)
  expect([format, fixes.length, fixes[0]?.lat]).toEqual(['kmz', 1, 24.3])
})

test('TCX has places, altitude and speed; indoors it has none', () => {
  const point = (inside: string) =>
    `<TrainingCenterDatabase><Activities><Activity><Lap><Track><Trackpoint><Time>2026-04-17T14:05:00Z</Time>${inside}</Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>`
  const place =
    '<Position><LatitudeDegrees>24.3</LatitudeDegrees><LongitudeDegrees>120.6</LongitudeDegrees></Position><AltitudeMeters>12</AltitudeMeters><Extensions><ns3:TPX><ns3:Speed>1.5</ns3:Speed></ns3:TPX></Extensions>'
  expect(read(point(place))).toMatchObject({
    format: 'tcx',
    fixes: [{ lat: 24.3, lng: 120.6, altitude: 12, speed: 5.4, recordedAt: AT }],
  })
  expect(read(point('<HeartRateBpm><Value>90</Value></HeartRateBpm>'))).toMatchObject({
    fixes: [],
    withoutPlace: 1,
  })
})

test('FIT has places in semicircles, and times since the end of 1989', () => {
  const { format, fixes } = readRecording(
    fitFile([{ lat: 24.3, lng: -120.6, at: AT, altitude: 12, speed: 1.5 }]),
  )
  expect(format).toBe('fit')
  expect(fixes).toHaveLength(1)
  expect(fixes[0]).toMatchObject({ recordedAt: AT, altitude: 12, accuracy: null })
  expect(fixes[0]?.lat).toBeCloseTo(24.3, 6)
  expect(fixes[0]?.lng).toBeCloseTo(-120.6, 6)
  expect(fixes[0]?.speed).toBeCloseTo(5.4, 6)
  const indoor = fitFile([{ at: AT }, { at: AT + 1_000 }])
  expect(readRecording(indoor)).toMatchObject({ fixes: [], withoutPlace: 2 })
})

test('Records.json of Google: E7 degrees, times as text or milliseconds', () => {
  const locations = [
    {
      latitudeE7: 243000000,
      longitudeE7: 1206000000,
      accuracy: 18_000,
      velocity: 1,
      timestamp: '2026-04-17T14:05:00Z',
    },
    { latitudeE7: 244000000, longitudeE7: 1207000000, timestampMs: String(AT + MINUTE) },
    { latitudeE7: 244000000, timestampMs: String(AT) },
  ]
  const { format, fixes, withoutPlace } = read(JSON.stringify({ locations }))
  expect([format, withoutPlace]).toEqual(['google-records', 1])
  expect(fixes).toMatchObject([
    { lat: 24.3, lng: 120.6, accuracy: 18_000, speed: 3.6, recordedAt: AT },
    { lat: 24.4, lng: 120.7, recordedAt: AT + MINUTE },
  ])
})

test('Timeline.json of Android: paths and raw signals; never visits, ends of activities, HOME or WORK', () => {
  const latLng = '24.3°, 120.6°'
  const document = {
    semanticSegments: [
      {
        startTime: '2026-04-17T14:00:00Z',
        endTime: '2026-04-17T15:00:00Z',
        visit: { topCandidate: { placeLocation: { latLng } } },
      },
      { startTime: '2026-04-17T14:00:00Z', activity: { start: { latLng }, end: { latLng } } },
      {
        startTime: '2026-04-17T14:00:00Z',
        timelinePath: [{ point: latLng, time: '2026-04-17T22:05:00+08:00' }],
      },
    ],
    rawSignals: [
      {
        position: {
          LatLng: '24.4, 120.7',
          accuracyMeters: 9,
          speedMetersPerSecond: 1,
          timestamp: '2026-04-17T14:06:00Z',
        },
      },
      { wifiScan: { deliveryTime: '2026-04-17T14:06:00Z' } },
    ],
    userLocationProfile: { frequentPlaces: [{ placeLocation: latLng, label: 'HOME' }] },
  }
  expect(read(`\uFEFF${JSON.stringify(document)}`)).toMatchObject({
    format: 'google-timeline',
    fixes: [
      { lat: 24.3, lng: 120.6, recordedAt: AT },
      { lat: 24.4, lng: 120.7, recordedAt: AT + MINUTE, accuracy: 9, speed: 3.6 },
    ],
    withoutTime: 0,
    withoutPlace: 0,
  })
})

test('location-history.json of an iPhone: minutes since the segment began, in text', () => {
  const document = [
    {
      startTime: '2026-04-17T14:00:00Z',
      endTime: '2026-04-17T15:00:00Z',
      visit: { topCandidate: { placeLocation: 'geo:24.1,120.1' } },
    },
    {
      startTime: '2026-04-17T14:00:00Z',
      endTime: '2026-04-17T15:00:00Z',
      timelinePath: [{ point: 'geo:24.3,120.6', durationMinutesOffsetFromStartTime: '5' }],
    },
  ]
  expect(placesOf(JSON.stringify(document))).toEqual([[24.3, 120.6, AT]])
})

test('Semantic Location History: the raw path alone; an activity has no points between its ends', () => {
  const path = {
    points: [{ latE7: 243000000, lngE7: 1206000000, accuracyMeters: 5, timestamp: '2026-04-17T14:05:00Z' }],
  }
  const timelineObjects = [
    {
      activitySegment: {
        startLocation: { latitudeE7: 1, longitudeE7: 1 },
        waypointPath: { waypoints: [{ latE7: 1, lngE7: 1 }] },
      },
    },
    { placeVisit: { location: { latitudeE7: 1, longitudeE7: 1 } } },
    { activitySegment: { simplifiedRawPath: path } },
  ]
  const { format, fixes } = read(JSON.stringify({ timelineObjects }))
  expect(format).toBe('google-semantic')
  expect(fixes).toMatchObject([{ lat: 24.3, lng: 120.6, accuracy: 5, recordedAt: AT }])
})

test('a recorder’s file keeps its locations, skips other messages, and counts broken lines', () => {
  const line = (json: string) => `2026-04-17T14:05:00Z\t*                 \t${json}`
  const at = { _type: 'location', lat: 24.3, lon: 120.6, tst: AT / 1000, acc: 9, vel: 4 }
  const lines = [
    line(JSON.stringify(at)),
    line('{"_type":"lwt"}'),
    '2026-04-17T14:05:00Z\tlwt\t',
    line('{"_type":"location","lat":24'),
  ]
  expect(read(`${lines.join('\n')}\n`)).toMatchObject({
    format: 'owntracks',
    fixes: [{ lat: 24.3, lng: 120.6, recordedAt: AT, accuracy: 9, speed: 4 }],
    withoutPlace: 1,
  })
})

type Convert = typeof geoJsonOfGpx | typeof geoJsonOfKml
type Place = { lng: number; lat: number; at: number }
const place = fc.record({
  lng: fc.integer({ min: -1_799_999, max: 1_799_999 }).map((n) => n / 10_000),
  lat: fc.integer({ min: -899_999, max: 899_999 }).map((n) => n / 10_000),
  at: fc.integer({ min: 0, max: 2_000_000_000 }).map((n) => n * 1_000),
})
const iso = (ms: number) => new Date(ms).toISOString()
/** As the library of geojson.io reads a document; it drops tracks of one point. */
function oracle(xml: string, convert: Convert): [number, number, number][] {
  const document = new DOMParser().parseFromString(xml, 'text/xml')
  const { features } = convert(document)
  return features.flatMap((feature) => {
    if (feature.geometry?.type !== 'LineString') return []
    const times: string[] = feature.properties?.coordinateProperties?.times ?? []
    return feature.geometry.coordinates.map(([lng = 0, lat = 0], at): [number, number, number] => [
      lat,
      lng,
      Date.parse(times[at] ?? ''),
    ])
  })
}
const documents: Readonly<Record<string, { write: (places: Place[]) => string; convert: Convert }>> = {
  GPX: {
    convert: geoJsonOfGpx,
    write: (places) =>
      `<?xml version="1.0"?><gpx><trk><trkseg>${places.map(({ lat, lng, at }) => `<trkpt lat="${lat}" lon="${lng}"><time>${iso(at)}</time></trkpt>`).join('')}</trkseg></trk></gpx>`,
  },
  KML: {
    convert: geoJsonOfKml,
    write: (places) =>
      `<?xml version="1.0"?><kml xmlns:gx="g"><Placemark><gx:Track>${places.map(({ at }) => `<when>${iso(at)}</when>`).join('')}${places.map(({ lat, lng }) => `<gx:coord>${lng} ${lat} 0</gx:coord>`).join('')}</gx:Track></Placemark></kml>`,
  },
  TCX: {
    convert: geoJsonOfTcx,
    write: (places) =>
      `<?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Other"><Lap><Track>${places.map(({ lat, lng, at }) => `<Trackpoint><Time>${iso(at)}</Time><Position><LatitudeDegrees>${lat}</LatitudeDegrees><LongitudeDegrees>${lng}</LongitudeDegrees></Position></Trackpoint>`).join('')}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`,
  },
}

test.each(Object.keys(documents))('%s reads what another library reads', (name) => {
  const { write, convert } = documents[name] ?? { write: () => '', convert: geoJsonOfGpx }
  fc.assert(
    fc.property(fc.array(place, { minLength: 2, maxLength: 30 }), (places) => {
      const xml = write(places)
      expect(placesOf(xml)).toEqual(oracle(xml, convert))
    }),
    SEEDED,
  )
})

test('a FIT file is read back to a centimetre and a second', () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), (places) => {
      const given = places.map(({ at, ...rest }) => ({ ...rest, at: at + Date.UTC(1990, 0, 1) }))
      const { fixes } = readRecording(fitFile(given))
      expect(fixes.map(({ recordedAt }) => recordedAt)).toEqual(given.map(({ at }) => at))
      for (const [at, fix] of fixes.entries()) {
        expect(fix.lat).toBeCloseTo(given[at]?.lat ?? 0, 6)
        expect(fix.lng).toBeCloseTo(given[at]?.lng ?? 0, 6)
      }
    }),
    SEEDED,
  )
})
