import { expect, test } from 'bun:test'
import { gpxFaults, parseXml } from './gpx.ts'

const gpx = (inside: string, version = '1.1') =>
  gpxFaults(
    parseXml(
      `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="${version}" creator="a" xmlns="http://www.topografix.com/GPX/1/1">${inside}</gpx>`,
    ),
  )
const point = (inside: string, place = 'lat="1" lon="2"') =>
  gpx(`<trk><trkseg><trkpt ${place}>${inside}</trkpt></trkseg></trk>`)

test('the check finds what XML and the GPX schema forbid', () => {
  expect(point('<ele>1.5</ele><time>2026-05-01T00:00:00.000Z</time><name>a &amp; b</name>')).toEqual([])
  expect(gpx('', '1.0')).not.toEqual([])
  expect(gpx('<trk/><metadata/>')).not.toEqual([])
  expect(point('<time>2026-05-01T00:00:00Z</time><ele>1</ele>')).not.toEqual([])
  expect(point('<ele>1e-7</ele>')).not.toEqual([])
  expect(point('<ele>1</ele><ele>1</ele>')).not.toEqual([])
  expect(point('<speed>4</speed>')).not.toEqual([])
  expect(point('', 'lat="1" lon="180"')).not.toEqual([])
  expect(point('', 'lat="1"')).not.toEqual([])
  expect(() => point('<name>a & b</name>')).toThrow(/entity|unclosed tag/)
  expect(() => gpx('<trk>')).toThrow(/unexpected close tag|unclosed tag/)
})
