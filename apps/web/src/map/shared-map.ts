import type { SharedPosition } from '@palanquin/domain/share'
import type { FeatureCollection } from 'geojson'
import type { GeoJSONSource } from 'maplibre-gl'
import { openOwnMap } from './own-map.ts'
import { EMPTY } from './style.ts'

type Position = NonNullable<SharedPosition['position']>
/** The places at which this page has seen somebody, the last one where they are. */
export type Seen = readonly Pick<Position, 'lat' | 'lng' | 'accuracyM'>[]
export type SharedMap = { show: (seen: Seen) => void; zoomBy: (steps: number) => void; showAll: () => void }

const COLOURS = {
  light: { walked: '#b3261e', halo: '#fffaf1' },
  dark: { walked: '#ff8a70', halo: '#1d1733' },
}
/** The ground resolution of MapLibre's zoom 0 at the equator. */
const METRES_PER_PIXEL = 78_271.517

/** Draws one person's place, its accuracy, and the way between the places that this page has seen. */
export async function createSharedMap(
  element: HTMLElement,
  { seen, onLost }: { seen: Seen; onLost: () => void },
): Promise<SharedMap> {
  const { map, colouring, zoomBy, showAll: showPlaces } = await openOwnMap(element, { onLost })
  let shown = seen
  map.addSource('shared', { type: 'geojson', data: EMPTY })
  map.addLayer({
    id: 'shared-accuracy',
    type: 'circle',
    source: 'shared',
    filter: ['==', ['get', 'kind'], 'place'],
    paint: {
      'circle-opacity': 0.15,
      // Metres on the ground double their pixels with each zoom.
      'circle-radius': [
        'interpolate',
        ['exponential', 2],
        ['zoom'],
        0,
        ['get', 'pixels'],
        22,
        ['*', ['get', 'pixels'], 2 ** 22],
      ],
    },
  })
  map.addLayer({
    id: 'shared-way',
    type: 'line',
    source: 'shared',
    filter: ['==', ['get', 'kind'], 'way'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-width': 4 },
  })
  map.addLayer({
    id: 'shared-place',
    type: 'circle',
    source: 'shared',
    filter: ['==', ['get', 'kind'], 'place'],
    paint: { 'circle-radius': 9, 'circle-stroke-width': 3 },
  })
  colouring((scheme) => {
    const { walked, halo } = COLOURS[scheme]
    map.setPaintProperty('shared-accuracy', 'circle-color', walked)
    map.setPaintProperty('shared-way', 'line-color', walked)
    map.setPaintProperty('shared-place', 'circle-color', walked)
    map.setPaintProperty('shared-place', 'circle-stroke-color', halo)
  })
  const showAll = (moves: boolean) =>
    showPlaces(
      shown.map(({ lng, lat }) => [lng, lat] as const),
      { moves },
    )
  const show = (next: Seen) => {
    const isFirst = shown.length === 0
    shown = next
    map.getSource<GeoJSONSource>('shared')?.setData(featuresOf(next))
    const last = next.at(-1)
    // The map follows only where the person would leave it.
    if (isFirst || (last && !map.getBounds().contains([last.lng, last.lat]))) showAll(true)
  }
  show(seen)
  showAll(false)
  return { show, zoomBy, showAll: () => showAll(true) }
}

function featuresOf(seen: Seen): FeatureCollection {
  const last = seen.at(-1)
  if (last === undefined) return EMPTY
  const way = seen.map(({ lng, lat }) => [lng, lat])
  const pixels = (last.accuracyM ?? 0) / METRES_PER_PIXEL / Math.cos((last.lat * Math.PI) / 180)
  return {
    type: 'FeatureCollection',
    features: [
      ...(way.length < 2
        ? []
        : [
            {
              type: 'Feature' as const,
              properties: { kind: 'way' },
              geometry: { type: 'LineString' as const, coordinates: way },
            },
          ]),
      {
        type: 'Feature',
        properties: { kind: 'place', pixels },
        geometry: { type: 'Point', coordinates: [last.lng, last.lat] },
      },
    ],
  }
}
