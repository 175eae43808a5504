import type { Feature, FeatureCollection } from 'geojson'
import type { GeoJSONSource } from 'maplibre-gl'
import { openOwnMap } from '../map/own-map.ts'
import { EMPTY } from '../map/style.ts'
import { TEXT_FONT } from '../map/text-font.ts'
import { dayColour, GROUND } from './colours.ts'
import type { Drawn, LngLat } from './drawing.ts'

/** The map of a walk by day: it stands still once it is drawn. */
export type KeepsakeMap = { zoomBy: (steps: number) => void; showAll: () => void; remove: () => void }

/** Draws a walk into an element: its days with their numbers, its photos and nights. */
export async function createKeepsakeMap(
  element: HTMLElement,
  { drawn, photos, onLost }: { drawn: Drawn; photos: readonly LngLat[]; onLost: () => void },
): Promise<KeepsakeMap> {
  const { map, colouring, zoomBy, showAll: showPlaces, remove } = await openOwnMap(element, { onLost })
  map.addSource('walk', { type: 'geojson', data: EMPTY })
  map.addLayer({
    id: 'walk-gaps',
    type: 'line',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'gap'],
    paint: { 'line-width': 2, 'line-dasharray': [2, 2] },
  })
  map.addLayer({
    id: 'walk-days',
    type: 'line',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'day'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': ['get', 'colour'], 'line-width': 5 },
  })
  map.addLayer({
    id: 'walk-dots',
    type: 'circle',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'dot'],
    paint: { 'circle-color': ['get', 'colour'], 'circle-radius': 5 },
  })
  map.addLayer({
    id: 'walk-photos',
    type: 'circle',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'photo'],
    paint: { 'circle-radius': 5, 'circle-stroke-width': 2 },
  })
  map.addLayer({
    id: 'walk-nights',
    type: 'symbol',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'night'],
    layout: {
      'text-field': '☾',
      'text-font': TEXT_FONT,
      'text-size': 22,
      'text-offset': [0.9, -0.6],
      'text-allow-overlap': true,
    },
    paint: { 'text-halo-width': 2 },
  })
  map.addLayer({
    id: 'walk-starts',
    type: 'circle',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'start'],
    paint: { 'circle-color': ['get', 'colour'], 'circle-radius': 11, 'circle-stroke-width': 2 },
  })
  map.addLayer({
    id: 'walk-numbers',
    type: 'symbol',
    source: 'walk',
    filter: ['==', ['get', 'kind'], 'start'],
    layout: {
      'text-field': ['get', 'number'],
      'text-font': TEXT_FONT,
      'text-size': 13,
      'text-allow-overlap': true,
    },
  })
  colouring((scheme) => {
    const { gap, land, ink, number } = GROUND[scheme]
    map.getSource<GeoJSONSource>('walk')?.setData(featuresOf({ drawn, photos, scheme }))
    map.setPaintProperty('walk-gaps', 'line-color', gap)
    map.setPaintProperty('walk-photos', 'circle-color', land)
    map.setPaintProperty('walk-photos', 'circle-stroke-color', ink)
    map.setPaintProperty('walk-nights', 'text-color', ink)
    map.setPaintProperty('walk-nights', 'text-halo-color', land)
    map.setPaintProperty('walk-starts', 'circle-stroke-color', land)
    map.setPaintProperty('walk-numbers', 'text-color', number)
  })
  const showAll = (moves: boolean) =>
    showPlaces(
      drawn.days.flatMap(({ lines }) => lines.flat()),
      { moves },
    )
  showAll(false)
  return { zoomBy, remove, showAll: () => showAll(true) }
}

function featuresOf({
  drawn: { days, gaps, nights },
  photos,
  scheme,
}: {
  drawn: Drawn
  photos: readonly LngLat[]
  scheme: 'light' | 'dark'
}): FeatureCollection {
  const line = (coordinates: LngLat[], properties: object): Feature => ({
    type: 'Feature',
    properties,
    geometry: { type: 'LineString', coordinates },
  })
  const point = (coordinates: LngLat, properties: object): Feature => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates },
  })
  return {
    type: 'FeatureCollection',
    features: [
      ...gaps.map((gap) => line(gap, { kind: 'gap' })),
      ...days.flatMap(({ lines, start, index }) => {
        const colour = dayColour(index, scheme)
        return [
          ...lines.flatMap((one) => {
            const [first] = one
            if (first === undefined) return []
            return one.length > 1 ? line(one, { kind: 'day', colour }) : point(first, { kind: 'dot', colour })
          }),
          ...(start === null ? [] : [point(start, { kind: 'start', colour, number: String(index + 1) })]),
        ]
      }),
      ...photos.map((place) => point(place, { kind: 'photo' })),
      ...nights.map((place) => point(place, { kind: 'night' })),
    ],
  }
}
