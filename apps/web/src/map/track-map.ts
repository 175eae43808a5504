import type { Feature, FeatureCollection } from 'geojson'
import { type GeoJSONSource, LngLatBounds, Map as MapLibre, setWorkerUrl } from 'maplibre-gl'
import type { Line, LinePoint } from '../recording/gaps.ts'
import { assetPath, loadStyles } from './assets.ts'
import { createStyle, EMPTY } from './style.ts'

/** A map of one person's own track: nothing else is on it, and nothing is sent. */
export type TrackMap = {
  show: (line: Line) => void
  zoomBy: (steps: number) => void
  showAll: () => void
}

const PADDING = 36
/** A single place is shown with the towns around it. */
const ZOOM_MAX = 13
const COLOURS = { light: { walked: '#b3261e', gap: '#6d5a45' }, dark: { walked: '#ff8a70', gap: '#d6cbe8' } }

/** Draws the map into an element; `onLost` is called when the graphics context is lost. */
export async function createTrackMap(
  element: HTMLElement,
  { line, onLost }: { line: Line; onLost: () => void },
): Promise<TrackMap> {
  setWorkerUrl(assetPath('map-worker'))
  await loadStyles(assetPath('map-styles'))
  const outlines = await fetch(assetPath('map-outlines'))
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches
  let shown = line
  const map = new MapLibre({
    ...{ container: element, style: createStyle(await outlines.json(), dark) },
    ...{ attributionControl: false, dragRotate: false, pitchWithRotate: false },
    ...{ maxZoom: 18, minZoom: 5 },
  })
  map.touchZoomRotate.disableRotation()
  map.on('webglcontextlost', () => {
    map.remove()
    onLost()
  })
  await new Promise<void>((resolve) => map.once('load', () => resolve()))
  const colours = dark ? COLOURS.dark : COLOURS.light
  map.addSource('my-track', { type: 'geojson', data: EMPTY })
  map.addLayer({
    ...{ id: 'my-gaps', type: 'line', source: 'my-track', filter: ['==', ['get', 'kind'], 'gap'] },
    paint: { 'line-color': colours.gap, 'line-width': 3, 'line-dasharray': [2, 2] },
  })
  map.addLayer({
    ...{ id: 'my-parts', type: 'line', source: 'my-track', filter: ['==', ['get', 'kind'], 'part'] },
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': colours.walked, 'line-width': 5 },
  })
  map.addLayer({
    ...{ id: 'my-points', type: 'circle', source: 'my-track', filter: ['==', ['get', 'kind'], 'point'] },
    paint: { 'circle-color': colours.walked, 'circle-radius': 7 },
  })
  const showAll = (moves: boolean) => {
    const box = new LngLatBounds()
    for (const { lng, lat } of shown.parts.flat()) box.extend([lng, lat])
    if (!box.isEmpty()) map.fitBounds(box, { padding: PADDING, maxZoom: ZOOM_MAX, animate: moves })
  }
  const show = (next: Line) => {
    shown = next
    map.getSource<GeoJSONSource>('my-track')?.setData(featuresOf(next))
  }
  show(line)
  showAll(false)
  return {
    show,
    showAll: () => showAll(animate),
    zoomBy: (steps) => {
      map.zoomTo(map.getZoom() + steps, { animate })
    },
  }
}

const positionOf = ({ lng, lat }: LinePoint): [number, number] => [lng, lat]

function featuresOf({ parts, gaps }: Line): FeatureCollection {
  const lineString = (kind: 'part' | 'gap', points: readonly LinePoint[]): Feature => ({
    ...{ type: 'Feature', properties: { kind } },
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
