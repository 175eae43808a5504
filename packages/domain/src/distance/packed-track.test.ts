import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { advanceAll, emptyTrack } from '../distance'
import type { Point } from '../point'
import { packTrack, unpackTrack } from './packed-track'

const start = Date.UTC(2026, 4, 1, 12)
const step = fc.record({
  afterMs: fc.constantFrom(1, 1000, 30_000, 60_000, 240_000),
  north: fc.constantFrom(0, 0.0001, 0.0005, 0.002),
  jump: fc.constantFrom(0, 0, 0, 5, 40),
  accuracy: fc.constantFrom(null, 5, 60.125, 101),
  kind: fc.constantFrom('track' as const, 'checkin' as const),
})
const tracks = fc
  .record({ steps: fc.array(step, { maxLength: 30 }), driftGuard: fc.boolean() })
  .map(({ steps, driftGuard }) => {
    let [recordedAt, lat] = [start, 24]
    const points = steps.map(({ afterMs, north, jump, accuracy, kind }): Point => {
      recordedAt += afterMs
      lat += north
      const place = { lat: lat + jump, lng: 120.1, accuracy, speed: null, altitude: null, heading: null }
      return { kind, recordedAt, ...place, source: 'auto' }
    })
    return advanceAll(emptyTrack(), points, { driftGuard })
  })

test('a track comes back from its text and its figures, bit for bit', () => {
  fc.assert(
    fc.property(tracks, (track) => {
      expect(unpackTrack(packTrack(track), track)).toEqual(track)
    }),
    { seed: 1904, numRuns: 2000 },
  )
})

test('the JSON of all fields, as versions before wrote it, is read with its own figures', () => {
  fc.assert(
    fc.property(tracks, (track) => {
      expect(unpackTrack(JSON.stringify(track), emptyTrack())).toEqual(track)
    }),
    { seed: 1905, numRuns: 200 },
  )
})

test('what is no track is none, and no text throws', () => {
  const texts = [
    '',
    '[',
    '{}',
    'null',
    '[]',
    '[1,2,3,4,5]',
    '[null,[],[1.5,1],null,null]',
    '[[91,0,0,null],[],null,null,null]',
  ]
  for (const text of texts) expect([text, unpackTrack(text, emptyTrack())]).toEqual([text, null])
  const empty = packTrack(emptyTrack())
  expect(unpackTrack(empty, { ...emptyTrack(), walkedKm: Number.NaN })).toBeNull()
  expect(unpackTrack(empty, { ...emptyTrack(), points: -1 })).toBeNull()
  fc.assert(
    fc.property(fc.json(), (text) => {
      unpackTrack(text, emptyTrack())
    }),
    { seed: 1906, numRuns: 500 },
  )
})
