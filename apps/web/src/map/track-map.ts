import type { Feature, FeatureCollection } from 'geojson'
import type { GeoJSONSource } from 'maplibre-gl'
import type { Line, LinePoint } from '../recording/gaps.ts'
import { openOwnMap } from './own-map.ts'
import { EMPTY } from './style.ts'

/** A map of one person's own track: nothing else is on it, and nothing is sent. */
export type TrackMap = { show: (line: Line) => void; zoomBy: (steps: number) => void; showAll: () => void }

const COLOURS = { light: { walked: '#b3261e', gap: '#6d5a45' }, dark: { walked: '#ff8a70', gap: '#d6cbe8' } }

/** Draws the map into an element; `onLost` is called when the graphics context is lost. */
export async function createTrackMap(
  element: HTMLElement,
  { line, onLost }: { line: Line; onLost: () => void },
): Promise<TrackMap> {
  const { map, colouring, zoomBy, showAll: showPlaces } = await openOwnMap(element, { onLost })
  let shown = line
  map.addSource('my-track', { type: 'geojson', data: EMPTY })
  map.addLayer({
    id: 'my-gaps',
    type: 'line',
    source: 'my-track',
    filter: ['==', ['get', 'kind'], 'gap'],
    paint: { 'line-width': 3, 'line-dasharray': [2, 2] },
  })
  map.addLayer({
    id: 'my-parts',
    type: 'line',
    source: 'my-track',
    filter: ['==', ['get', 'kind'], 'part'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-width': 5 },
  })
  map.addLayer({
    id: 'my-points',
    type: 'circle',
    source: 'my-track',
    filter: ['==', ['get', 'kind'], 'point'],
    paint: { 'circle-radius': 7 },
  })
  colouring((scheme) => {
    const { walked, gap } = COLOURS[scheme]
    map.setPaintProperty('my-gaps', 'line-color', gap)
    map.setPaintProperty('my-parts', 'line-color', walked)
    map.setPaintProperty('my-points', 'circle-color', walked)
  })
  const showAll = (moves: boolean) => showPlaces(shown.parts.flat().map(positionOf), { moves })
  const show = (next: Line) => {
    shown = next
    map.getSource<GeoJSONSource>('my-track')?.setData(featuresOf(next))
  }
  show(line)
  showAll(false)
  return { show, zoomBy, showAll: () => showAll(true) }
}

const positionOf = ({ lng, lat }: LinePoint): [number, number] => [lng, lat]

function featuresOf({ parts, gaps }: Line): FeatureCollection {
  const lineString = (kind: 'part' | 'gap', points: readonly LinePoint[]): Feature => ({
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'LineString', coordinates: points.map(positionOf) },
  })
  return {
    type: 'FeatureCollection',
    features: [
      ...gaps.map((gap) => lineString('gap', gap)),
      ...parts.flatMap((part): Feature[] => {
        const [first] = part
        if (first === undefined) return []
        if (part.length > 1) return [lineString('part', part)]
        const geometry = { type: 'Point' as const, coordinates: positionOf(first) }
        return [{ type: 'Feature', properties: { kind: 'point' }, geometry }]
      }),
    ],
  }
}
