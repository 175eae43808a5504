import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRecording } from './recording.ts'

// Exports of real apps lie beside the repository, not in it: `<project>/../shared/phone-apps/files`.
const FOLDER = join(import.meta.dir, '../../../../shared/phone-apps/files')
const areThere = existsSync(FOLDER)
if (!areThere)
  console.warn('skipped: the sample files are not there (expected in ../shared/phone-apps/files)')

test.skipIf(!areThere).each([
  ['csv-gpslogger.csv', 'csv', 3],
  ['geojson-gpslogger_example.json', 'geojson', 1],
  ['google-location-history.json', 'google-timeline', 10],
  ['google-records.json', 'google-records', 3],
  ['google-semantic_history.json', 'google-semantic', 0],
  ['google-timeline_new_format.json', 'google-timeline', 3],
  ['gpx-garmin_example.gpx', 'gpx', 1],
  ['gpx-gpx_track_multiple_segments.gpx', 'gpx', 43],
  ['kml-gx_track.kml', 'kml', 4],
  ['kml-points_with_timestamps.kmz', 'kmz', 3],
  ['owntracks-2024-03.rec', 'owntracks', 9],
  ['tcx-running.tcx', 'tcx', 1],
])('%s is read as %s, with %i points', (name, format, points) => {
  const recording = readRecording(readFileSync(join(FOLDER, name)))
  expect(recording).toMatchObject({ format, withoutTime: 0, withoutPlace: 0, incomplete: false })
  expect(recording.fixes).toHaveLength(points)
})
