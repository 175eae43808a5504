import { expect, test } from 'bun:test'
import { routeOfGeoJson } from './guide'

const LINE = {
  type: 'LineString',
  coordinates: [
    [120.5, 24],
    [120.6, 24.1, 12],
  ],
}

test.each([
  ['a line', LINE],
  ['a feature', { type: 'Feature', properties: {}, geometry: LINE }],
  [
    'a collection, with a place beside the line',
    {
      type: 'FeatureCollection',
      features: [
        { type: 'Feature', geometry: { type: 'Point', coordinates: [120, 24] } },
        { type: 'Feature', geometry: LINE },
      ],
    },
  ],
  ['several lines', { type: 'MultiLineString', coordinates: [LINE.coordinates] }],
])('%s is a route', (_, document) => {
  expect(routeOfGeoJson(document)).toEqual([
    [
      [120.5, 24],
      [120.6, 24.1],
    ],
  ])
})

test.each([
  [null, 'The file is no GeoJSON'],
  [[], 'The file is no GeoJSON'],
  [{ type: 'Line' }, 'The file is no GeoJSON'],
  [{ type: 'LineString', coordinates: [['a', 'b']] }, 'The file is no GeoJSON'],
  [{ type: 'LineString', coordinates: [[120, 24]] }, 'The file has no line'],
  [{ type: 'Point', coordinates: [120, 24] }, 'The file has no line'],
  [
    {
      type: 'LineString',
      coordinates: [
        [24, 120.5],
        [24, 120.6],
      ],
    },
    'The file has a point that is no place on the Earth',
  ],
])('%j is refused with a sentence', (document, sentence) => {
  const route = routeOfGeoJson(document)
  expect('error' in route ? route.error : '').toStartWith(sentence)
})
