import { expect, test } from 'bun:test'
import { parseEmission, parseGpx, RECORDINGS, readRecording, recordedUntil } from './recording.ts'

const recordings = RECORDINGS.map((name) => ({ name, points: readRecording(name) }))
const isAbsent = recordings.some(({ points }) => points === null)

test.skipIf(isAbsent)('every recording is read whole', () => {
  // The counts of the recordings' own README.
  expect(recordings.map(({ points }) => points?.length)).toEqual([296, 871, 206, 660, 801, 626])
  for (const { points } of recordings)
    expect(points?.every(({ lat, lng }) => Math.abs(lat) <= 90 && Math.abs(lng) <= 180)).toBe(true)
})

test('GPX: attributes in any order, elevation and time where there are any', () => {
  const points = parseGpx(`<gpx><wpt lat="1" lon="1"/><trk><trkseg>
    <trkpt lon="120.5" lat="24.1"><ele>12.5</ele><time>2026-04-17T14:05:00Z</time></trkpt>
    <trkpt lat="24.2" lon="120.6"/><trkpt lat="24.3" lon="120.7">
    </trkpt></trkseg></trk></gpx>`)
  expect(points).toMatchObject([
    { lat: 24.1, lng: 120.5, altitude: 12.5, recordedAt: Date.parse('2026-04-17T14:05:00Z'), speed: null },
    { lat: 24.2, lng: 120.6, altitude: null, recordedAt: null },
    { lat: 24.3, lng: 120.7, recordedAt: null },
  ])
})

test('e-mission: metres per second become km/h, and seconds milliseconds', () => {
  const [point] = parseEmission(
    '[{"ts": 1466008067.2374, "lat": 37.8, "lon": -122.2, "accuracy": 29, "speed_mps": 10}]',
  )
  expect(point).toMatchObject({ recordedAt: 1466008067237, speed: 36, accuracy: 29, altitude: null })
})

test('recordings can be moved to end now, with the time between their points kept and the timeless left out', () => {
  const [gap, first, last] = parseGpx(`<trkpt lat="1" lon="1"/>
    <trkpt lat="1" lon="1"><time>2012-10-24T23:29:40Z</time></trkpt>
    <trkpt lat="1" lon="2"><time>2012-10-24T23:30:00Z</time></trkpt>`)
  if (!gap || !first || !last) throw new Error('three points were expected')
  expect(recordedUntil([gap, last, first], 1_000_000).map(({ recordedAt }) => recordedAt)).toEqual([
    1_000_000, 980_000,
  ])
})
